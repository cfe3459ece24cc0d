//! The motion of a fit or a plan as a recording: the bodies after, before, and as they were measured.

use gradbody_draw::{Effects, POSE, Scene};
use gradbody_view::record::evenly;
use gradbody_view::{Layer, Recording};

/// Numbers of all poses of a page together, about; they are most of what a page with many motions has.
const ALL_NUMBERS: usize = 300_000;
/// Moments that are kept at least and at most; the page moves smoothly between them.
const MOMENTS: (usize, usize) = (60, 600);
/// A motion that takes less is played slowly, so that it can be followed [s].
const SHORT: f64 = 1.5;
const SLOWLY: f64 = 0.25;

/// What is shown of a motion.
pub(crate) struct Shown<'a> {
    pub(crate) scene: &'a Scene,
    /// Times [s].
    pub(crate) times: &'a [f64],
    /// Names and poses of all bodies, moment by moment. The first one that is not empty is drawn as it is, the others as
    /// ghosts.
    pub(crate) layers: &'a [(&'static str, &'a [f32])],
    /// Where networks act on the first layer.
    pub(crate) effects: Option<&'a Effects>,
    /// Number of motions of the page.
    pub(crate) motions: usize,
}

/// The recording of a motion, or of some of its moments if they are many. None if there is nothing to draw.
pub(crate) fn recording(shown: &Shown<'_>) -> Option<Recording> {
    let Shown { scene, times, layers, effects, motions } = shown;
    let moment = POSE * scene.bodies.len();
    let is_known = |poses: &[f32]| moment > POSE && poses.len() >= moment;
    let layers: Vec<(&str, &[f32])> = layers
        .iter()
        .filter(|(_, poses)| is_known(poses))
        .map(|(name, poses)| (*name, *poses))
        .collect();
    let longest = layers.iter().map(|(_, poses)| poses.len() / moment).max()?;
    // Only times that grow can be played.
    let mut last = f64::NEG_INFINITY;
    let usable: Vec<usize> = (0..times.len().min(longest))
        .filter(|k| {
            let later = times[*k].is_finite() && times[*k] > last;
            last = if later { times[*k] } else { last };
            later
        })
        .collect();
    let (least, most) = MOMENTS;
    let most = (ALL_NUMBERS / (motions.max(&1) * layers.len() * moment)).clamp(least, most);
    let kept: Vec<usize> = evenly(usable.len(), most).into_iter().map(|k| usable[k]).collect();
    let (first, last) = (*kept.first()?, *kept.last()?);
    let poses = |poses: &[f32]| {
        let mut chosen = Vec::with_capacity(kept.len() * moment);
        for k in &kept {
            match poses.get(k * moment..(k + 1) * moment) {
                Some(of) => of.chunks(POSE).for_each(|pose| add(pose, &mut chosen)),
                None => chosen.resize(chosen.len() + moment, 0.0),
            }
        }
        chosen
    };
    let layer = |(k, (name, all)): (usize, &(&str, &[f32]))| match *name {
        "measured" if k > 0 => Layer::measured(poses(all)),
        "before" if k > 0 => Layer::before(poses(all)),
        _ => Layer { name: (*name).to_owned(), ghost: k > 0, colour: None, poses: poses(all) },
    };
    Some(Recording {
        scene: (*scene).clone(),
        times: kept.iter().map(|k| times[*k]).collect(),
        layers: layers.iter().enumerate().map(layer).collect(),
        effects: effects.map(|effects| chosen(effects, &kept)),
        speed: (times[last] - times[first] < SHORT).then_some(SLOWLY),
        ..Recording::default()
    })
}

/// A pose, or zeros if a number of it is not finite.
fn add(pose: &[f32], to: &mut Vec<f32>) {
    let known = pose.iter().all(|x| x.is_finite());
    to.extend(pose.iter().map(|x| if known { *x } else { 0.0 }));
}

/// The effects at some moments.
fn chosen(effects: &Effects, kept: &[usize]) -> Effects {
    let mut found = effects.clone();
    found.moments =
        kept.iter().map(|k| effects.moments.get(*k).cloned().unwrap_or_default()).collect();
    for track in &mut found.tracks {
        for values in [&mut track.before, &mut track.change] {
            *values = kept.iter().map(|k| values.get(*k).copied().unwrap_or(f32::NAN)).collect();
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scene() -> Scene {
        Scene {
            bodies: vec!["world".into(), "ball".into()],
            parents: vec![0, 0],
            ..Scene::default()
        }
    }

    /// A ball that falls, and what was measured of it, which has a gap and ends early.
    #[test]
    fn moments_are_chosen_evenly_and_what_is_not_known_is_zero() {
        let times: Vec<f64> = (0..5000).map(|k| 0.001 * f64::from(k)).collect();
        let pose = |z: f32| [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, z, 1.0, 0.0, 0.0, 0.0];
        let fall: Vec<f32> = (0..5000).flat_map(|k| pose(-(k as f32))).collect();
        let mut measured = fall[..14 * 2500].to_vec();
        measured[9] = f32::NAN;
        let scene = scene();
        let shown = |times: &[f64]| {
            let layers = [("after", &fall[..]), ("measured", &measured[..]), ("before", &[][..])];
            recording(&Shown { scene: &scene, times, layers: &layers, effects: None, motions: 1 })
        };
        let found = shown(&times).expect("a recording");
        assert_eq!(found.times.len(), MOMENTS.1);
        assert_eq!((found.times[0], found.times[MOMENTS.1 - 1]), (0.0, 4.999));
        let [after, measured] = &found.layers[..] else { panic!("{} layers", found.layers.len()) };
        assert!(!after.ghost && measured.ghost);
        for (t, pose) in found.times.iter().zip(after.poses.chunks(14)) {
            assert!((f64::from(pose[9]) + 1000.0 * t).abs() < 1e-3, "{t}: {pose:?}");
        }
        assert_eq!(measured.poses[7..14], [0.0; 7], "not finite");
        assert_eq!(measured.poses[14 * 599..], [0.0; 14], "it ended before");
        assert_eq!(found.speed, None);
        assert_eq!(shown(&times[..1000]).expect("a short one").speed, Some(SLOWLY));
        let mut broken = times.clone();
        (broken[3], broken[4]) = (f64::NAN, -1.0);
        assert_eq!(shown(&broken[..6]).expect("some moments").times, [0.0, 0.001, 0.002, 0.005]);
        assert!(shown(&[]).is_none());
    }
}
