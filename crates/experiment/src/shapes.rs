//! `[model.shapes]` and `[[model.pairs]]`: what bodies touch with, as far as robot files cannot say it.

use serde::{Deserialize, Serialize};

use crate::{ExperimentError, ModelOptions};

/// A shape that is added to a link: an extruded outline or a set of points.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ShapeSpec {
    /// The link that carries it, or "world".
    pub link: String,
    /// Corners of an outline in the shape's xy plane, in order [m].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outline: Option<Vec<[f64; 2]>>,
    /// The outline reaches from minus this height to this height along the shape's z axis [m].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub half_height: Option<f64>,
    /// Points that touch other shapes [m].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points: Option<Vec<[f64; 3]>>,
    /// The origin of the shape in the frame of the link [m].
    #[serde(default)]
    pub position: [f64; 3],
    /// Roll, pitch and yaw of the shape in the frame of the link [rad].
    #[serde(default)]
    pub rpy: [f64; 3],
    /// Coefficient of friction. Without it, it counts as not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub friction: Option<f64>,
    /// Whether it touches other shapes in listed pairs only.
    #[serde(default)]
    pub only_pairs: bool,
}

/// Two shapes that touch whatever the filters say, with a surface of their own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PairSpec {
    /// Names of the shapes; the path of the pair is `contact/A-B`.
    pub shapes: [String; 2],
    /// Coefficient of friction, sliding and static.
    pub friction: f64,
    /// Whether the contact is compliant, whatever `simulation.contact` says.
    #[serde(default)]
    pub compliant: bool,
    /// Whether torsional and rolling friction act.
    #[serde(default)]
    pub resists_turning: bool,
}

impl ModelOptions {
    /// Refuses shapes and pairs with impossible numbers.
    pub(crate) fn check_shapes(&self) -> Result<(), ExperimentError> {
        for (name, shape) in &self.shapes {
            let wrong = |key: &str, why: String| {
                ExperimentError::wrong(format!("model.shapes.{name}{key}"), why)
            };
            if name.is_empty() {
                return Err(wrong("\"\"", "a shape needs a name".into()));
            }
            shape.check().map_err(|(key, why)| wrong(key, why))?;
        }
        for (k, pair) in self.pairs.iter().enumerate() {
            let [a, b] = &pair.shapes;
            let wrong = |key: &str, why: String| {
                Err(ExperimentError::wrong(format!("model.pairs[{k}].{key}"), why))
            };
            if a == b {
                return wrong("shapes", format!("\"{a}\" cannot touch itself: name two shapes"));
            }
            if let Some(why) = not_a_friction(pair.friction) {
                return wrong("friction", why);
            }
        }
        Ok(())
    }
}

impl ShapeSpec {
    /// The key that is wrong, and why.
    fn check(&self) -> Result<(), (&'static str, String)> {
        match (&self.outline, &self.points) {
            (Some(outline), None) => self.check_outline(outline)?,
            (None, Some(points)) => self.check_points(points)?,
            (Some(_), Some(_)) => {
                let why = "it has an outline and points; make two shapes of them";
                return Err(("", why.into()));
            }
            (None, None) => {
                let why = "it has neither an outline (with half-height) nor points";
                return Err(("", why.into()));
            }
        }
        for (key, numbers) in [(".position", &self.position), (".rpy", &self.rpy)] {
            if !numbers.iter().all(|x| x.is_finite()) {
                return Err((key, "three finite numbers are needed".into()));
            }
        }
        match self.friction.and_then(not_a_friction) {
            Some(why) => Err((".friction", why)),
            None => Ok(()),
        }
    }

    fn check_outline(&self, outline: &[[f64; 2]]) -> Result<(), (&'static str, String)> {
        if let Some(k) = first_not_finite(outline.iter().map(|corner| corner.as_slice())) {
            return Err((".outline", format!("corner {k} is not of finite numbers [m]")));
        }
        match self.half_height {
            None => Err((".half-height", "an outline needs one [m]: half its thickness".into())),
            Some(height) if !(height > 0.0 && height.is_finite()) => {
                Err((".half-height", format!("{height}: a positive number is needed [m]")))
            }
            Some(_) => Ok(()),
        }
    }

    fn check_points(&self, points: &[[f64; 3]]) -> Result<(), (&'static str, String)> {
        if points.is_empty() {
            return Err((".points", "at least 1 point is needed".into()));
        }
        if let Some(k) = first_not_finite(points.iter().map(|point| point.as_slice())) {
            return Err((".points", format!("point {k} is not of finite numbers [m]")));
        }
        match self.half_height {
            Some(_) => Err((".half-height", "points have none; give them their own z".into())),
            None => Ok(()),
        }
    }
}

/// The index of the first list that has a number that is not finite, counted from 0.
fn first_not_finite<'a>(mut lists: impl Iterator<Item = &'a [f64]>) -> Option<usize> {
    lists.position(|list| list.iter().any(|x| !x.is_finite()))
}

fn not_a_friction(friction: f64) -> Option<String> {
    let possible = friction >= 0.0 && friction.is_finite();
    (!possible).then(|| format!("{friction}: a number that is not negative is needed"))
}

#[cfg(test)]
mod tests {
    use crate::Experiment;

    const START: &str = "[model]\nfile = 'body.urdf'\n[data]\nfiles = 'a.csv'\n[channels]\nx = { is = 'joint/a/position' }\n";

    fn checked(rest: &str) -> Result<Experiment, String> {
        let experiment = Experiment::from_toml(&format!("{START}{rest}"), "a.toml")
            .map_err(|error| error.to_string())?;
        experiment.check().map_err(|error| error.to_string())?;
        Ok(experiment)
    }

    const PLATE: &str =
        "[model.shapes.side]\nlink = 'body'\noutline = [[0, 0], [0.1, 0], [0, 0.1]]\n";

    #[test]
    fn shapes_and_pairs_are_read_and_written_alike() {
        let text = format!(
            "{PLATE}half-height = 0.01\nonly-pairs = true\n\
             [model.shapes.feet]\nlink = 'body'\npoints = [[0, 0, 0], [0.1, 0, 0]]\nposition = [0, 0, -0.01]\n\
             [[model.pairs]]\nshapes = ['ground', 'feet']\nfriction = 0.2\ncompliant = true\n"
        );
        let experiment = checked(&text).expect("right");
        assert_eq!(experiment.model.shapes.len(), 2);
        let back = Experiment::from_toml(&experiment.to_toml().expect("TOML"), "a.toml");
        assert_eq!(back.expect("right"), experiment);
    }

    #[test]
    fn impossible_shapes_and_pairs_are_refused_with_their_key() {
        let pair = |rest: &str| format!("[[model.pairs]]\n{rest}\n");
        let plate = |rest: &str| format!("{PLATE}{rest}\n");
        let points = |rest: &str| format!("[model.shapes.feet]\nlink = 'body'\npoints = {rest}\n");
        for (text, message) in [
            (plate(""), "model.shapes.side.half-height: an outline needs one"),
            (plate("half-height = -0.01"), "model.shapes.side.half-height: -0.01: a positive"),
            (plate("half-height = nan"), "model.shapes.side.half-height: NaN: a positive"),
            (plate("half-height = 1\nposition = [0, inf, 0]"), "model.shapes.side.position"),
            (plate("half-height = 1\nrpy = [0, nan, 0]"), "model.shapes.side.rpy"),
            (plate("half-height = 1\nfriction = -1"), "model.shapes.side.friction: -1: "),
            (plate("half-height = 1\npoints = [[0, 0, 0]]"), "make two shapes"),
            (points("[]"), "model.shapes.feet.points: at least 1 point"),
            (points("[[0, 0, 0], [nan, 0, 0]]"), "model.shapes.feet.points: point 1 is not"),
            (points("[[0, 0, 0]]\nhalf-height = 1"), "model.shapes.feet.half-height: points"),
            ("[model.shapes.feet]\nlink = 'body'\n".into(), "neither an outline"),
            (plate("half-hight = 1"), "unknown key \"half-hight\"; did you mean \"half-height\"?"),
            (points("[[0, 0]]"), "a.toml:9"),
            (pair("shapes = ['a', 'a']\nfriction = 1"), "model.pairs[0].shapes: \"a\" cannot"),
            (pair("shapes = ['a', 'b']\nfriction = nan"), "model.pairs[0].friction: NaN"),
            (pair("shapes = ['a', 'b']"), "the key \"friction\" is missing"),
            (pair("shapes = ['a']\nfriction = 1"), "a.toml:"),
        ] {
            let error = checked(&text).expect_err(message);
            assert!(error.contains(message), "{error}");
        }
    }
}
