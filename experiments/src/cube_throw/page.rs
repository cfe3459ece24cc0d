//! The page: throws matched, errors over the number of tosses, kinds of gradients.

use std::fmt::Write as _;

use super::Found;
use super::errors::Summary;
use super::gradients::KINDS;
use super::results::{effort, errors_table, phases_table, spread};
use super::study::CONTENDERS;
use super::tosses::RATE;
use gradbody_report::{Figure, Plot, Section, Series, escape, in_words};

pub(super) fn sections(found: &Found) -> Vec<Section> {
    vec![matched_section(found), study_section(found), limits_section(found), tools_section(found)]
}

fn matched_section(found: &Found) -> Section {
    let matched = &found.matched;
    let [target, before, after] = &matched.poses;
    let line = |poses: &[[f64; 7]], axis: usize| -> Vec<(f64, f64)> {
        poses.iter().enumerate().map(|(k, pose)| ((k + 1) as f64 / RATE, pose[axis])).collect()
    };
    let plot = |title: &str, y: &str, axis: usize| {
        Plot::new(title, "time [s]", y)
            .line(Series::new("target, rigid", line(target, axis)))
            .line(Series::new("before", line(before, axis)).paint("before"))
            .line(Series::new("after", line(after, axis)).dashed())
    };
    let costs = matched.costs.iter().enumerate().map(|(k, cost)| (k as f64, *cost)).collect();
    Section {
        heading: "A soft contact brought to a rigid throw".into(),
        text: vec![
            "Throws are simulated with rigid contact (an LCP). A Hunt-Crossley contact with a network that \
             scales friction begins so soft that the cube sinks into the table; parallel basin \
             hopping looks for stiffness, damping, friction and weights that match the throws. Other throws \
             tell whether a law was found or a memory."
                .into(),
        ],
        figures: vec![
            Figure::new(in_words(matched.before.whole.0, 2), "% of the side", "position error before"),
            Figure::new(in_words(matched.after.whole.0, 2), "% of the side", "position error after"),
            Figure::new(
                in_words(matched.others.whole.0, 2),
                "% of the side",
                "position error on throws not trained on",
            ),
        ],
        plots: vec![
            plot("Height of the centre", "height [m]", 2),
            plot("Way along x", "x [m]", 0),
            plot("Way along y", "y [m]", 1),
            Plot::new("The cost", "round of basin hopping", "cost")
                .logarithmic()
                .whole_x()
                .line(Series::new("best", costs)),
        ],
        ..Section::default()
    }
}

fn study_section(found: &Found) -> Section {
    let plots = vec![
        over_sizes(found, "Position error over whole tosses", "error [% of the side]", |s| {
            s.whole.0
        }),
        over_sizes(found, "Rotation error over whole tosses", "error [degrees]", |s| s.whole.1),
        over_sizes(found, "Position error of the first impact", "error [% of the side]", |s| {
            s.impact.0
        }),
        over_sizes(found, "Rotation error of the first impact", "error [degrees]", |s| s.impact.1),
    ];
    let speed = effort(found).gradients_a_second();
    let mut tables = String::new();
    errors_table(found).write(&mut tables);
    tables
        .push_str("\nby phase: position [% of the side] and rotation [degrees], the most tosses\n");
    phases_table(found).write(&mut tables);
    Section {
        heading: "Real tosses".into(),
        text: vec![format!(
            "Numbers of each law are identified on whole tosses by evolution. From there on, \
             the compliant law is trained through the simulation on short stretches, alone and with \
             networks. All errors are of {} tosses never trained on; dots are draws.",
            found.tosses.held_out.len()
        )],
        figures: vec![Figure::new(in_words(speed, 2), "1/s", "rollouts with their gradients")],
        plots,
        markup: format!("<pre>{}</pre>", escape(&tables)),
        ..Section::default()
    }
}

/// An error of each contender over the number of tosses.
fn over_sizes(found: &Found, title: &str, y: &str, of: fn(&Summary) -> f64) -> Plot {
    const PAINTS: [&str; CONTENDERS.len()] = ["c0", "c1", "c2", "c3", "c4"];
    let sizes = || found.study.sizes.iter().map(|size| *size as f64);
    let mut plot = Plot::new(title, "tosses to learn from", y).logarithmic_x();
    for ((contender, by_size), paint) in CONTENDERS.iter().zip(&found.study.fitted).zip(PAINTS) {
        let means = sizes().zip(by_size).map(|(size, fitted)| (size, spread(fitted, of)[0]));
        plot = plot.line(Series::new(contender.name, means.collect()).paint(paint));
    }
    for (by_size, paint) in found.study.fitted.iter().zip(PAINTS) {
        let draws = sizes().zip(by_size).flat_map(|(size, fitted)| {
            fitted.iter().map(move |f| (size, of(&f.held_out))).collect::<Vec<_>>()
        });
        plot = plot.line(Series::new("", draws.collect()).dots().paint(paint));
    }
    plot
}

fn limits_section(found: &Found) -> Section {
    let [rigid, compliant] = found.divergence;
    let figure =
        |value: f64, unit: &str, meaning: &str| Figure::new(in_words(value, 2), unit, meaning);
    Section {
        heading: "What cannot be predicted".into(),
        text: vec![
            "The motion of each model is filmed with the camera's own noise, its start found from that \
             film as from a real one, and simulated again: how far a perfect model would be off."
                .into(),
        ],
        figures: vec![
            figure(rigid.whole.0, "% of the side", "rigid, position"),
            figure(rigid.whole.1, "°", "rigid, rotation"),
            figure(compliant.whole.0, "% of the side", "compliant, position"),
            figure(compliant.whole.1, "°", "compliant, rotation"),
        ],
        ..Section::default()
    }
}

/// What each kind of gradient came to.
fn tools_section(found: &Found) -> Section {
    let mut markup = String::from(
        "<table><tr><th>gradient</th><th>cosine</th><th>a gradient [s]</th><th>cost</th><th>position [% of the side]</th>\
         <th>rotation [°]</th></tr>",
    );
    for ((name, _), tool) in KINDS.iter().zip(&found.tools) {
        let (position, rotation) = tool.held_out.whole;
        let _ = write!(
            markup,
            "<tr><td>{name}</td><td>{:.3}</td><td>{:.3}</td><td>{:.0} → {:.0}</td><td>{position:.1}</td><td>{rotation:.1}</td></tr>",
            tool.cosine, tool.gradient_seconds, tool.costs.0, tool.costs.1
        );
    }
    markup.push_str("</table>");
    Section {
        heading: "Contact gradients as tools".into(),
        text: vec![
            "The rigid law, trained by Adam on the flight and the frames after the first touch, from the same start with as many \
             iterations. The cosine is that of the angle to central differences at the start; errors are of the tosses \
             never trained on."
                .into(),
        ],
        markup,
        ..Section::default()
    }
}
