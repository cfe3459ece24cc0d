//! The page: fitted throws, errors over the number of tosses, kinds of gradients.

use super::Found;
use super::errors::Summary;
use super::gradients::{KINDS, Tool};
use super::results::{effort, errors_table, phases_table, spread};
use super::study::CONTENDERS;
use super::tosses::RATE;
use gradbody_report::{Figure, Plot, Section, Series, in_words};
use maud::{Markup, html};

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
        heading: "A soft contact fitted to rigid throws".into(),
        text: vec![
            "Throws are simulated with rigid contact (an LCP). A Hunt-Crossley contact with a network that \
             scales friction starts so soft that the cube sinks into the table; parallel basin \
             hopping searches for stiffness, damping, friction and weights that reproduce the throws. \
             Held-out throws show whether the result generalises."
                .into(),
        ],
        figures: vec![
            Figure::new(in_words(matched.before.whole.0, 2), "% of the side", "position error before"),
            Figure::new(in_words(matched.after.whole.0, 2), "% of the side", "position error after"),
            Figure::new(
                in_words(matched.others.whole.0, 2),
                "% of the side",
                "position error on held-out throws",
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
            "The numbers of each law are identified on whole tosses by an evolution strategy (CMA-ES). Then \
             the compliant law is trained through the simulation on short stretches, alone and with \
             networks. All errors are on {} held-out tosses; dots are single draws.",
            found.tosses.held_out.len()
        )],
        figures: vec![Figure::new(in_words(speed, 2), "1/s", "rollouts with their gradients")],
        plots,
        markup: html! { pre { (tables) } },
        ..Section::default()
    }
}

/// An error of each contender over the number of tosses.
fn over_sizes(found: &Found, title: &str, y: &str, of: fn(&Summary) -> f64) -> Plot {
    const PAINTS: [&str; CONTENDERS.len()] = ["c0", "c1", "c2", "c3", "c4"];
    let sizes = || found.study.sizes.iter().map(|size| *size as f64);
    let mut plot = Plot::new(title, "training tosses", y).logarithmic_x();
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
        heading: "The limit of prediction".into(),
        text: vec![
            "The motion of each model is recorded with the camera's noise, its start is estimated from that \
             recording as from a real one, and the motion is simulated again. The error is that of a perfect model."
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

/// The results of each kind of gradient.
fn tools_section(found: &Found) -> Section {
    let rows = KINDS.iter().zip(&found.tools).map(|((name, _), tool)| tool_row(name, tool));
    Section {
        heading: "Contact gradients as tools".into(),
        text: vec![
            "The rigid law, trained by Adam on the flight and the frames after the first touch, with the same start \
             and number of iterations for each kind. The cosine is that of the angle to central differences at the \
             start; errors are on the held-out tosses."
                .into(),
        ],
        markup: html! {
            table {
                tr {
                    th { "gradient" } th { "cosine" } th { "a gradient [s]" } th { "cost" }
                    th { "position [% of the side]" } th { "rotation [°]" }
                }
                @for row in rows { (row) }
            }
        },
        ..Section::default()
    }
}

fn tool_row(name: &str, tool: &Tool) -> Markup {
    let (position, rotation) = tool.held_out.whole;
    html! {
        tr {
            td { (name) }
            td { (format_args!("{:.3}", tool.cosine)) }
            td { (format_args!("{:.3}", tool.gradient_seconds)) }
            td { (format_args!("{:.0} → {:.0}", tool.costs.0, tool.costs.1)) }
            td { (format_args!("{position:.1}")) }
            td { (format_args!("{rotation:.1}")) }
        }
    }
}
