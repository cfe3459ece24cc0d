//! The page: plots of the errors of all tosses, and two of the tosses drawn.

use gradbody::math::Vec3;
use gradbody::model::Model;

use super::measured::Toss;
use super::simulated::{Outcomes, Simulated};
use super::{FRICTION, GRAVITY, RATE, RESTITUTION, SIDE};
use crate::distribution::Distribution;
use crate::tosses::Pose;
use gradbody_report::{Figure, Plot, Section, Series, in_words};
use gradbody_view::{Recording, record};

/// The sections of the page.
pub(super) fn sections(scene: &Model<f64>, tosses: &[Toss], outcomes: &[Outcomes]) -> Vec<Section> {
    let [typical, poor] = examples(&outcomes[0]);
    vec![
        overview(tosses, outcomes),
        example(
            ("A typical toss", "half of all tosses have a smaller error"),
            scene,
            (&tosses[typical], typical),
            outcomes,
        ),
        example(
            ("One of the worst", "nine of ten tosses have a smaller error"),
            scene,
            (&tosses[poor], poor),
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
        motion: None,
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

fn example(
    (heading, rank): (&str, &str),
    scene: &Model<f64>,
    (toss, i): (&Toss, usize),
    outcomes: &[Outcomes],
) -> Section {
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
        motion: Some(motion(scene, toss, simulated)),
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

fn motion(scene: &Model<f64>, toss: &Toss, simulated: &Simulated) -> Recording {
    let q = |pose: &Pose| [&pose.pos.to_array()[..], &pose.quat.to_array()].concat();
    let shown = |poses: &[Pose]| poses.iter().take(toss.poses.len()).map(q).collect::<Vec<_>>();
    let pair = [("simulated", shown(&simulated.poses)), ("measured", shown(&toss.poses))];
    let times = (0..toss.poses.len()).map(|i| i as f64 / RATE).collect();
    Recording {
        title: format!("Toss {}, measured and simulated", toss.name),
        caption: "Simulated with rigid contact, and measured as a ghost. In slow motion; drag to turn the view."
            .into(),
        speed: Some(0.25),
        ..record::configurations(scene, times, &pair)
    }
}
