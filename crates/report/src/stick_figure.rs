//! The quadruped as sticks, with balls for feet.

use gradbody_dynamics::{Kinematics, centre_of_mass, frame_pose};
use gradbody_model::{FrameId, Model};

use super::{Animation, Dot, Stroke, Trail};

/// Left legs first, so that the right ones, nearer to the reader, are drawn over them.
const LEGS: [&str; 4] = ["FL", "RL", "FR", "RR"];
const PARTS: [&str; 4] = ["hip", "thigh", "calf", "foot"];
/// Radius of a foot [m], as in the model's file.
const FOOT: f64 = 0.0265;

/// The frames whose origins are the joints of the figure.
pub struct StickFigure {
    /// Leg by leg, hip to foot.
    frames: Vec<FrameId>,
}

impl StickFigure {
    /// Finds the legs of a model; else the name of the frame that is missing.
    pub fn of(model: &Model<f64>) -> Result<Self, String> {
        let names = LEGS.iter().flat_map(|leg| PARTS.map(|part| format!("{leg}_{part}")));
        let frame = |name: String| model.topology.frame(&name).ok_or(name);
        Ok(StickFigure { frames: names.map(frame).collect::<Result<_, _>>()? })
    }

    /// The legs' joints, then the centre of mass.
    pub fn points(&self, model: &Model<f64>, kin: &Kinematics<f64>) -> Vec<[f64; 3]> {
        let joints = self.frames.iter().map(|f| frame_pose(model, kin, *f).pos.to_array());
        joints.chain([centre_of_mass(model, kin).to_array()]).collect()
    }

    /// An animation of such points; its words and the rest are the caller's.
    pub fn animation(&self, frames: Vec<Vec<[f64; 3]>>, frame_time: f64) -> Animation {
        let leg = |i: usize| 4 * i..4 * i + 4;
        let [fl, rl, fr, rr] = [0, 1, 2, 3].map(leg);
        let com = self.frames.len();
        let stroke =
            |points: Vec<usize>, colour, width, faint| Stroke { points, colour, width, faint };
        let (hips, near, far) = ([fl.start, fr.start, rr.start, rl.start], [fr, rr], [fl, rl]);
        let around = vec![hips[0], hips[1], hips[2], hips[3], hips[0]];
        let mut strokes: Vec<Stroke> =
            far.map(|leg| stroke(leg.collect(), 0, 0.028, true)).into_iter().collect();
        strokes.push(stroke(around, 0, 0.075, false));
        // The front in another colour, to tell it from the rear.
        strokes.push(stroke(vec![hips[0], hips[1]], 2, 0.075, false));
        strokes.extend(near.map(|leg| stroke(leg.collect(), 0, 0.028, false)));
        let foot = |leg: usize| Dot { point: 4 * leg + 3, colour: 0, radius: FOOT };
        let mut dots: Vec<Dot> = (0..LEGS.len()).map(foot).collect();
        dots.push(Dot { point: com, colour: 1, radius: 0.03 });
        Animation {
            title: String::new(),
            caption: String::new(),
            frame_time,
            speed: 0.25,
            frames,
            trails: vec![Trail { point: com, colour: 1, seconds: 5.0 }],
            strokes,
            dots,
            ground: None,
            view: (0.35, 0.2),
        }
    }
}
