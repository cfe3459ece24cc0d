//! The page as a whole: its numbers, its structure, and data that are broken.

use gradbody::learn::outcome::*;

use super::example::outcome;
use super::{page, svg_horizon, svg_loss, svg_motion};

/// Elements that have no end.
const VOID: [&str; 4] = ["meta", "input", "br", "!doctype"];

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

/// What no page may have.
fn assert_clean(html: &str) {
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
        "which the fit has not seen, the error fell from 0.571 rad to 0.0317 rad, 18 times less.",
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
    assert_eq!(html.matches("class=\"player-box\"").count(), 3);
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
    let svg = svg_motion(&motion);
    let paths: Vec<&str> = svg.split("data-name=\"after\" d=\"").collect();
    let path = paths[1].split('"').next().expect("a path");
    assert_eq!(path.matches('M').count(), 2, "{path}");
    assert_eq!(path.matches(['M', 'L']).count(), 280);
}

#[test]
fn single_figures_are_files_of_their_own() {
    let outcome = outcome();
    for svg in [svg_loss(&outcome), svg_motion(&outcome.motions[0]), svg_horizon(&outcome, "test")]
    {
        assert!(svg.starts_with("<svg xmlns="));
        assert_balanced(&svg);
        assert_clean(&svg.replacen("http://www.w3.org/2000/svg", "", 1));
    }
    assert!(svg_horizon(&outcome, "test").contains(">without networks</text>"));
    assert_balanced(&svg_horizon(&Outcome::default(), "test"));
}

#[test]
fn nothing_to_show_is_no_trouble() {
    let html = page(&Outcome::default());
    assert_balanced(&html);
    assert_clean(&html);
    assert!(!html.contains("<section"));
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
        for c in broken.errors.iter_mut().flat_map(|t| &mut t.channels) {
            c.rms = bad;
            c.by_horizon.iter_mut().for_each(|p| p.1 = bad);
        }
        for motion in &mut broken.motions {
            motion.t[5] = bad;
            let channels = motion.channels.iter_mut();
            channels.for_each(|c| {
                c.after.iter_mut().chain(&mut c.measured).for_each(|x| *x = Some(bad))
            });
            motion.figures.measured.iter_mut().flatten().for_each(|p| *p = [bad; 3]);
            motion.figures.after.truncate(7);
        }
        broken.responses[0].y.fill(bad);
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
    short.responses.iter_mut().for_each(|r| r.y.truncate(1));
    short.profiles.iter_mut().for_each(|p| p.rise.clear());
    let html = page(&short);
    assert_balanced(&html);
    assert_clean(&html);
    assert!(!html.contains("<select>"));
}
