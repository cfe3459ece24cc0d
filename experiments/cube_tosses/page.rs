//! The page: plots of the errors of all tosses, and two of the tosses drawn.

use gradbody::math::Vec3;

use super::measured::Toss;
use super::simulated::{Outcomes, Simulated};
use super::{FRICTION, GRAVITY, RATE, RESTITUTION, SIDE};
use crate::distribution::Distribution;
use crate::tosses::Pose;
use gradbody_report::{Animation, Figure, Plot, Section, Series, Stroke, in_words};

/// The sections of the page.
pub(super) fn sections(tosses: &[Toss], outcomes: &[Outcomes]) -> Vec<Section> {
    let [typical, poor] = examples(&outcomes[0]);
    vec![
        overview(tosses, outcomes),
        example(
            "A typical toss",
            "half of all tosses have a smaller error",
            &tosses[typical],
            typical,
            outcomes,
        ),
        example(
            "One of the worst",
            "nine of ten tosses have a smaller error",
            &tosses[poor],
            poor,
            outcomes,
        ),
    ]
}

fn overview(tosses: &[Toss], outcomes: &[Outcomes]) -> Section {
    let percent = |x: f64| in_words(100.0 * x / SIDE, 2);
    let [_, position, _, rotation] = outcomes[0].measures();
    let histogram = |k: usize, title: &str, x: &str, most: f64| {
        let plot = Plot::new(title, x, "tosses [%]");
        outcomes.iter().fold(plot, |plot, outcome| {
            let measure = &outcome.measures()[k];
            let shown = measure.values.scaled(measure.shown);
            plot.line(Series::new(outcome.law.name, shown.histogram(24, most)))
        })
    };
    let over_time = |title: &str, y: &str, scale: f64, of: fn(&Simulated) -> &Vec<f64>| {
        let longest = tosses.iter().map(|t| t.poses.len()).max().unwrap_or(0);
        let plot = Plot::new(title, "time since the start [s]", y);
        outcomes.iter().fold(plot, |plot, outcome| {
            let medians = (0..longest).map_while(|i| {
                let values: Vec<f64> =
                    outcome.tosses.iter().filter_map(|s| of(s).get(i).copied()).collect();
                // Stop where fewer than half of the tosses last: a median of few is not representative.
                let enough = 2 * values.len() >= tosses.len();
                enough.then(|| (i as f64 / RATE, scale * Distribution::of(values).median()))
            });
            plot.line(Series::new(outcome.law.name, medians.collect()))
        })
    };
    Section {
        heading: "Accuracy of the simulation".into(),
        text: vec![
            "A cube was tossed onto a table many times and filmed. Each toss is simulated from its first \
             measured position and velocity alone: falling, hitting with an edge or a corner, tumbling and \
             sliding to rest. Tiny differences often decide which way a cube tumbles, so no simulator can \
             predict all tosses to their end."
                .into(),
            format!(
                "Nothing was fitted here: side, mass and inertia are published, friction {FRICTION} and \
                 restitution {RESTITUTION} are the fits of the data's authors, and gravity is {GRAVITY} m/s², \
                 its value in these data, whose lengths are 2 % short."
            ),
        ],
        animation: None,
        figures: vec![
            Figure::new(tosses.len().to_string(), "", "tosses"),
            Figure::new(percent(position.values.median()), "% of the side", "median of the mean position error, rigid contact"),
            Figure::new(in_words(rotation.values.median().to_degrees(), 2), "°", "median of the mean rotation error, rigid contact"),
            Figure::new(percent(outcomes[1].measures()[1].values.median()), "% of the side", "median of the mean position error, compliant contact"),
        ],
        plots: vec![
            histogram(1, "Position error, mean over a toss", "error [% of the side]", 120.0)
                .caption("Share of the tosses by error; the last bin contains all larger errors."),
            histogram(3, "Rotation error, mean over a toss", "error [degrees]", 120.0)
                .caption("A quarter turn, 90 degrees, means that the cube landed on another face."),
            over_time("Position error over time", "median [% of the side]", 100.0 / SIDE, |s| &s.position)
                .caption("The median over all tosses, while at least half of them last."),
            over_time("Rotation error over time", "median [degrees]", 1_f64.to_degrees(), |s| &s.rotation),
        ],
        ..Section::default()
    }
}

/// The tosses whose mean position error is the median and the ninth decile.
fn examples(outcomes: &Outcomes) -> [usize; 2] {
    let mean = |i: &usize| {
        let errors = &outcomes.tosses[*i].position;
        errors.iter().sum::<f64>() / errors.len() as f64
    };
    let mut order: Vec<usize> = (0..outcomes.tosses.len()).collect();
    order.sort_by(|a, b| mean(a).total_cmp(&mean(b)));
    [0.5, 0.9].map(|share| order[(share * (order.len() - 1) as f64).round() as usize])
}

fn example(heading: &str, rank: &str, toss: &Toss, i: usize, outcomes: &[Outcomes]) -> Section {
    let time = |i: usize| i as f64 / RATE;
    let line = |values: &mut dyn Iterator<Item = f64>| -> Vec<(f64, f64)> {
        values.enumerate().map(|(i, x)| (time(i), x)).collect()
    };
    let coordinate = |title: &str, y: &str, of: fn(Vec3<f64>) -> f64| {
        let plot = Plot::new(title, "time [s]", y)
            .line(Series::new("measured", line(&mut toss.poses.iter().map(|p| of(p.pos)))))
            .follows_time();
        outcomes.iter().fold(plot, |plot, outcome| {
            let poses = &outcome.tosses[i].poses;
            plot.line(Series::new(outcome.law.name, line(&mut poses.iter().map(|p| of(p.pos)))))
        })
    };
    let rotation = outcomes.iter().fold(
        Plot::new("Rotation error", "time [s]", "error [degrees]")
            .line(Series::new("measured", line(&mut toss.poses.iter().map(|_| 0.0))))
            .follows_time(),
        |plot, outcome| {
            let errors = &outcome.tosses[i].rotation;
            plot.line(Series::new(
                outcome.law.name,
                line(&mut errors.iter().map(|e| e.to_degrees())),
            ))
        },
    );
    let simulated = &outcomes[0].tosses[i];
    let end = simulated.position.last().copied().unwrap_or(0.0);
    let turned = simulated.rotation.last().copied().unwrap_or(0.0);
    Section {
        heading: heading.into(),
        text: vec![format!(
            "Toss {} of the data. By the mean position error of rigid contact, {rank}.",
            toss.name
        )],
        animation: Some(animation(toss, simulated)),
        figures: vec![
            Figure::new(
                in_words(100.0 * end / SIDE, 2),
                "% of the side",
                "position error at the end",
            ),
            Figure::new(in_words(turned.to_degrees(), 2), "°", "rotation error at the end"),
        ],
        plots: vec![
            coordinate("Height of the centre", "height [m]", |p| p.z),
            coordinate("Position along x", "x [m]", |p| p.x),
            coordinate("Position along y", "y [m]", |p| p.y),
            rotation,
        ],
        ..Section::default()
    }
}

fn animation(toss: &Toss, simulated: &Simulated) -> Animation {
    let corners = |pose: &Pose| -> Vec<[f64; 3]> {
        let turn = pose.quat.to_mat3();
        (0..8)
            .map(|i| {
                let side = |bit: usize| if i >> bit & 1 == 1 { SIDE / 2.0 } else { -SIDE / 2.0 };
                (pose.pos + turn * Vec3::new(side(0), side(1), side(2))).to_array()
            })
            .collect()
    };
    let frames = toss.poses.iter().zip(&simulated.poses);
    let edges = |first: usize, colour: usize| {
        // The outlines of two faces, then the edges between them.
        let around = |z: usize| [0, 1, 3, 2, 0].map(|corner| first + 4 * z + corner).to_vec();
        let between = |corner: usize| vec![first + corner, first + corner + 4];
        let lines = [vec![around(0), around(1)], (0..4).map(between).collect()].concat();
        lines.into_iter().map(move |points| Stroke { points, colour, width: 0.003, faint: false })
    };
    Animation {
        title: format!("Toss {}, measured and simulated", toss.name),
        caption: "Blue: measured. Orange: simulated with rigid contact. In slow motion; drag to turn the view."
            .into(),
        frame_time: 1.0 / RATE,
        speed: 0.25,
        frames: frames.map(|(a, b)| [corners(a), corners(b)].concat()).collect(),
        trails: vec![],
        strokes: edges(0, 0).chain(edges(8, 1)).collect(),
        dots: vec![],
        ground: Some(0.0),
        view: (0.4, 0.35),
    }
}
