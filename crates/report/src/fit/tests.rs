//! The page as a whole: its numbers, its structure, and data that are broken.

use gradbody_learn::outcome::*;

use super::example::outcome;
use super::page;

/// Elements that have no end.
const VOID: [&str; 4] = ["meta", "input", "br", "!DOCTYPE"];

/// Fails unless every element ends, in order. Scripts and styles are not looked into.
fn assert_balanced(html: &str) {
    let mut open: Vec<String> = vec![];
    let mut rest = html;
    while let Some((_, after)) = rest.split_once('<') {
        let (tag, after) = after.split_once('>').expect("a tag that ends");
        rest = after;
        let name: String = tag
            .chars()
            .take_while(|c| !c.is_whitespace() && *c != '/' || tag.starts_with('/'))
            .collect();
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name), "near {:.80}", rest);
        } else if !tag.ends_with('/') && !VOID.contains(&name.as_str()) {
            if name == "script" || name == "style" {
                rest = rest.split_once(&format!("</{name}>")).expect("an end").1;
            } else {
                open.push(name);
            }
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

/// What no page may have outside of what the viewer reads.
fn assert_clean(html: &str) {
    let mut told = String::new();
    for (k, part) in html.split("<script type=\"text/plain\"").enumerate() {
        told += if k == 0 { part } else { part.split_once("</script>").expect("an end").1 };
    }
    let html = told.as_str();
    for word in ["NaN", "undefined", "http", "inf ", "null<", "None", "Some("] {
        if let Some(at) = html.find(word) {
            let from = html.floor_char_boundary(at.saturating_sub(100));
            panic!("{word}: …{}", &html[from..html.floor_char_boundary(at + 40)]);
        }
    }
}

#[test]
fn the_page_has_the_numbers_of_the_fit() {
    let html = page(&outcome());
    if let Some(path) = std::env::var_os("GRADBODY_FIT_PAGE") {
        std::fs::write(path, &html).expect("a place to write");
    }
    assert_balanced(&html);
    assert_clean(&html);
    for text in [
        "<h1>Double pendulum: pendulum-on-the-bench.urdf</h1>",
        "which the fit has not seen, the error over 2 channels fell from 0.571 rad to 0.0317 rad, 18 times less.",
        "The residuals of the fitted windows are 1.0 times the noise: the model explains the data.",
        "Parameters: 21 iterations, stopped by: converged: the cost falls no further. Networks: 26 iterations",
        ">pure noise<",
        "200 residuals over the fitted windows, 66.4 % are within one standard deviation of the noise and 94.6 % within two",
        ">networks begin<",
        "its windows are different, and begin at the measured state",
        "Before the fit 1 of 24 windows diverged",
        "beats “without networks” (1.6 times the error), “mlp” (4.4 times the error)",
        "but loses to “lstm” (0.76 times the error, though 2 of its windows diverged)",
        "7 parameters were fitted in 12 s and 47 iterations (5300 gradients a second)",
        "0.30980 ± 0.00041",
        "(3.214 ± 0.041)×10⁻⁵",
        ">−14 %<",
        "at its bound",
        "not tell link/upper/mass and joint/elbow/damping apart: 0.71 link/upper/mass − 0.70 joint/elbow/damping",
        "<strong>0.0227</strong>",
        "2 diverged",
        "swing-09 &lt;upright&gt; (test)",
        "A prediction leaves the picture",
        "diverged with the model as it was before &amp; is not counted.",
    ] {
        assert!(html.contains(text), "{text}");
    }
    // What was held out comes first.
    let place = |text: &str| html.find(text).expect(text);
    assert!(place("<h3>The test data") < place("<h3>The data it was fitted to"));
    // Two parameters without a deviation; one at its bound says only that.
    assert_eq!(html.matches(">not determined<").count(), 2);
    // Three motions of two channels with residuals, three responses, two profiles, the cost twice, two horizons.
    assert_eq!(html.matches("class=\"hover\"").count(), 12 + 3 + 2 + 2 + 2);
    // The scene and the viewer are there once for all of them.
    assert_eq!(html.matches("class=\"animation\"").count(), 3);
    assert_eq!(html.matches("data-scene=\"0\"").count(), 3);
    for once in ["id=\"scene-0\"", "id=\"viewer-script\"", "id=\"viewer-style\""] {
        assert_eq!(html.matches(once).count(), 1, "{once}");
    }
    assert!(html.len() < 1_000_000, "{} bytes", html.len());
}

/// A free body: its errors are a distance and an angle, in sentences, tables and plots.
#[test]
fn poses_are_told_as_distances_and_angles() {
    let mut outcome = outcome();
    for table in outcome.errors.iter_mut().filter(|table| table.part == "test") {
        let [place, turn] = &mut table.channels[..] else { panic!("two channels") };
        for (channel, name, unit, before) in [
            (place, "link/cube position", "m", 0.0841),
            (turn, "link/cube orientation", "deg", 41.2),
        ] {
            (channel.name, channel.unit) = (name.into(), unit.into());
            channel.rms = if table.by == "after" { 0.1 * before } else { before };
            channel.median = 0.4 * channel.rms;
        }
    }
    let motion = &mut outcome.motions[0];
    let line = |size: f64| motion.t.iter().map(|t| (*t > 2.5).then_some(size * t)).collect();
    motion.errors = vec![PoseError {
        name: "link/cube position".into(),
        unit: "m".into(),
        before: line(0.02),
        after: line(0.001),
    }];
    let html = page(&outcome);
    assert_balanced(&html);
    assert_clean(&html);
    for text in [
        "the error of link/cube position fell from 84.1 mm to 8.41 mm, 10 times less; the error of link/cube orientation \
         fell from 41.2 deg to 4.12 deg, 10 times less.",
        "<th>link/cube position [mm]</th><th>link/cube orientation [deg]</th>",
        "<strong>8.41</strong> <span class=\"quiet\">(3.36)</span>",
        ">link/cube position, error</h3>",
        ">error [mm]<",
        ">rms error [deg]<",
    ] {
        assert!(html.contains(text), "{text}");
    }
}

#[test]
fn a_gap_in_the_data_is_a_gap_in_the_lines() {
    let mut motion = outcome().motions.remove(0);
    let channel = &mut motion.channels[0];
    channel.measured.iter_mut().for_each(|x| *x = Some(1.0));
    channel.before.clear();
    for i in 100..120 {
        channel.after[i] = None;
    }
    motion.channels.truncate(1);
    let svg = page(&FitOutcome { motions: vec![motion], ..FitOutcome::default() });
    let paths: Vec<&str> = svg.split("data-name=\"after\" d=\"").collect();
    let path = paths[1].split('"').next().expect("a path");
    assert_eq!(path.matches('M').count(), 2, "{path}");
    assert_eq!(path.matches(['M', 'L']).count(), 280);
}

#[test]
fn nothing_to_show_is_no_trouble() {
    let html = page(&FitOutcome::default());
    assert_balanced(&html);
    assert_clean(&html);
    assert!(!html.contains("<section"));
    assert!(!html.contains("viewer-script"), "nothing to play");
}

/// The factor is that of the numbers beside it, whatever their units.
#[test]
fn the_headline_agrees_with_itself() {
    let mut outcome = outcome();
    for table in outcome.errors.iter_mut().filter(|table| table.part == "test") {
        let [first, second] = &mut table.channels[..] else { panic!("two channels") };
        (first.rms, second.rms) = match table.by.as_str() {
            "before" => (8.0, 3.0),
            "after" => (1.0, 1.5),
            _ => continue,
        };
        second.unit = "m".into();
    }
    let html = page(&outcome);
    for text in [
        "the error of joint/shoulder/q fell from 8.00 rad to 1.00 rad, 8.0 times less; the error of joint/elbow/q fell \
         from 3.00 m to 1.50 m, 2.0 times less.",
        "less error of joint/shoulder/q than before",
        "the geometric mean over the channels, whose units differ",
    ] {
        assert!(html.contains(text), "{text}");
    }
    assert!(!page(&outcome_without_networks()).contains("networks were chosen by"));
}

/// Windows that diverged are not counted: what is left may be the easier ones.
#[test]
fn there_is_no_verdict_on_a_fit_that_diverged() {
    let mut outcome = outcome();
    for table in outcome.errors.iter_mut().filter(|t| t.part == "test" && t.by == "after") {
        table.diverged = 3;
    }
    let html = page(&outcome);
    for text in [
        "<p class=\"lead\">After the fit 3 of 24 windows diverged. They are not counted",
        "which the fit has not seen, the error over 2 channels is 0.0317 rad.",
        "<dl class=\"figures\"><div><dt>windows of the test data diverged after the fit</dt><dd>3 <span>of 24</span>",
        "<tr><th scope=\"row\">after</th><td>–</td>",
    ] {
        assert!(html.contains(text), "{text}");
    }
    for text in ["beats", "loses to", "times less", "less error", "fell from"] {
        assert!(!html.contains(text), "{text}");
    }
}

#[test]
fn more_error_is_not_called_less() {
    let mut outcome = outcome();
    for table in outcome.errors.iter_mut().filter(|t| t.part == "test" && t.by == "after") {
        table.channels.iter_mut().for_each(|channel| channel.rms *= 27.0);
    }
    let html = page(&outcome);
    for text in
        ["1.5 times more: the fit made it worse", "<dt>more error than before</dt><dd>1.5 ×</dd>"]
    {
        assert!(html.contains(text), "{text}");
    }
    assert!(!html.contains("less error"));
}

/// Networks that change nothing do not beat the model without them.
#[test]
fn networks_that_make_no_difference_are_not_said_to_beat_the_model_without_them() {
    let mut outcome = outcome();
    let after = |t: &&ErrorTable| t.part == "test" && t.by == "after";
    let same = outcome.errors.iter().find(after).expect("a table").channels.clone();
    for table in &mut outcome.errors {
        if table.part == "test" && table.by == "without networks" {
            table.channels.clone_from(&same);
            table.channels.iter_mut().for_each(|channel| channel.rms *= 1.004);
        }
    }
    outcome.stages[1].remarks = vec!["The networks were trained and then not kept".into()];
    let html = page(&outcome);
    for text in [
        "beats “mlp” (4.4 times the error)",
        "is no better than “without networks” (the errors differ by less than 1 %)",
        "but loses to “lstm”",
        "The networks were trained and then not kept.",
    ] {
        assert!(html.contains(text), "{text}");
    }
    assert!(!html.contains("1.0 times the error"));
}

/// A deviation that was not computed says nothing about the data.
#[test]
fn parameters_without_deviations_are_not_called_undetermined() {
    let mut outcome = outcome();
    outcome.parameters.iter_mut().for_each(|parameter| parameter.sigma = None);
    outcome.undetermined.clear();
    outcome.no_deviations = Some("there are no more measured numbers than unknowns".into());
    let html = page(&outcome);
    let why = "were not computed for this fit: there are no more measured numbers than unknowns.";
    assert!(html.contains(why), "{html}");
    assert!(!html.contains(">not determined<"));
    outcome.no_deviations = None;
    assert_eq!(page(&outcome).matches(">not determined<").count(), 6);
}

fn outcome_without_networks() -> FitOutcome {
    let mut outcome = outcome();
    outcome.stages.truncate(1);
    outcome.errors.iter_mut().for_each(|table| table.part = "validation".into());
    outcome
}

/// Every number is replaced by one that is not finite, or every list cut to one entry.
#[test]
fn broken_numbers_are_dashes() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -1e300] {
        let mut broken = outcome();
        broken.seconds = bad;
        broken.gradients_per_second = bad;
        for p in &mut broken.progress {
            (p.cost, p.validation) = (bad, Some(bad));
        }
        for p in &mut broken.parameters {
            (p.initial, p.fitted, p.sigma) = (bad, bad, Some(bad));
        }
        broken.undetermined[0].reach = bad;
        if let Some(noise) = &mut broken.noise {
            (noise.times, noise.cost) = (bad, bad);
        }
        broken.residuals[0].rms = bad;
        if let Some(calibration) = &mut broken.calibration {
            (calibration.quantiles[9].1, calibration.within) = (bad, [bad; 2]);
        }
        broken.responses[1].range = Some((bad, bad));
        for c in broken.errors.iter_mut().flat_map(|t| &mut t.channels) {
            (c.rms, c.median) = (bad, bad);
            c.by_horizon.iter_mut().for_each(|p| p.1 = bad);
        }
        for motion in &mut broken.motions {
            motion.t[5] = bad;
            let channels = motion.channels.iter_mut();
            channels.for_each(|c| {
                c.after.iter_mut().chain(&mut c.measured).for_each(|x| *x = Some(bad))
            });
            motion.figures.measured.fill(bad as f32);
            motion.figures.after.truncate(7 * 21);
        }
        broken.responses[0].response.y.fill(bad);
        broken.profiles[0].values.fill(bad);
        let html = page(&broken);
        assert_balanced(&html);
        assert_clean(&html);
    }
}

#[test]
fn one_sample_is_no_trouble() {
    let mut short = outcome();
    short.progress.truncate(1);
    short.motions.truncate(1);
    let motion = &mut short.motions[0];
    motion.t.truncate(1);
    for c in &mut motion.channels {
        for line in [&mut c.measured, &mut c.before, &mut c.after] {
            line.truncate(1);
        }
    }
    short.responses.iter_mut().for_each(|r| r.response.y.truncate(1));
    short.profiles.iter_mut().for_each(|p| p.rise.clear());
    let html = page(&short);
    assert_balanced(&html);
    assert_clean(&html);
    assert!(!html.contains("<select>"));
}

/// "rose from 1.61 rad to 1.61 rad, no change"
#[test]
fn errors_that_are_shown_alike_neither_rose_nor_fell() {
    let mut outcome = outcome();
    let after: Vec<ErrorTable> =
        outcome.errors.iter().filter(|table| table.by == "after").cloned().collect();
    for before in outcome.errors.iter_mut().filter(|table| table.by == "before") {
        let Some(after) = after.iter().find(|after| after.part == before.part) else { continue };
        for (before, after) in before.channels.iter_mut().zip(&after.channels) {
            before.rms = after.rms * (1.0 - 1e-6);
        }
    }
    let html = page(&outcome);
    assert!(html.contains("the error over 2 channels is 0.0317 rad, as before"));
    assert!(!html.contains("rose from"));
}
