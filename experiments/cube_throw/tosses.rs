//! The measured tosses: first states, training and held-out sets, and the camera's noise.

use gradbody::learn::objective::{NoiseLaw, Recording, Sees, Sensor};
use gradbody::math::{Quat, Vec3};
use gradbody::model::{FrameId, Model};
use gradbody::sim::State;

use super::cube::GRAVITY;
use crate::data::DataFolder;
use crate::tosses::{self, Pose};

/// Frame rate of the camera [1/s].
pub(super) const RATE: f64 = 148.0;
/// The published side of the cube [m], the unit of position errors.
pub(super) const SIDE: f64 = 0.1048;

/// Units of the position and rotation errors in the cost: about one per cent of the side, and one degree [m, rad].
pub(super) const UNIT: (f64, f64) = (1e-3, 0.0175);
/// The cube counts as touching the table if its lowest corner is no higher than this [m].
const TOUCH: f64 = 0.003;
/// Smallest number of flight frames from which a start is estimated.
const SHORTEST_FLIGHT: usize = 3;
/// Larger changes of velocity or spin between frames count as an impact [m/s, rad/s].
const STEADY: (f64, f64) = (0.13, 1.0);
/// Speed below which the cube rests [m/s].
const AT_REST: f64 = 0.05;
/// One in this number of tosses is held out.
const HELD_OUT: usize = 4;

/// A toss: pose, velocity and spin in each frame.
#[derive(Clone)]
pub(super) struct Toss {
    pub(super) name: String,
    pub(super) states: Vec<State<f64>>,
    /// The first frame in which the cube touches the table.
    pub(super) touch: usize,
}

impl Toss {
    /// The first state, by least squares over the flight: a parabola, and a rotation at constant spin (a cube's inertia
    /// is isotropic).
    pub(super) fn start(&self) -> State<f64> {
        let mut start = self.states[0].clone();
        let flight = self.flight();
        let first = Quat::from_slice(&start.q[3..]);
        let (mut times, mut squares) = (0.0, 0.0);
        let (mut sums, mut moments) = ([0.0; 6], [0.0; 6]);
        for (k, state) in self.states[..flight].iter().enumerate() {
            let time = k as f64 / RATE;
            let turned = (first.conjugate() * Quat::from_slice(&state.q[3..])).log();
            let fallen = 0.5 * GRAVITY * time * time;
            let line = [state.q[0], state.q[1], state.q[2] + fallen, turned.x, turned.y, turned.z];
            times += time;
            squares += time * time;
            for (i, x) in line.iter().enumerate() {
                sums[i] += x;
                moments[i] += time * x;
            }
        }
        let n = flight as f64;
        let determinant = n * squares - times * times;
        let offset = |i: usize| (squares * sums[i] - times * moments[i]) / determinant;
        for i in 0..6 {
            start.v[i] = (n * moments[i] - times * sums[i]) / determinant;
        }
        (0..3).for_each(|i| start.q[i] = offset(i));
        let turn = first * Quat::exp(Vec3::new(offset(3), offset(4), offset(5)));
        start.q[3..].copy_from_slice(&turn.to_array());
        start
    }

    /// Frames of flight except the last, in which the cube may already touch.
    pub(super) fn flight(&self) -> usize {
        self.touch.saturating_sub(1).max(SHORTEST_FLIGHT).min(self.states.len())
    }

    /// The state in a later frame; `None` at an impact, where the velocity jumps. The velocities in the data are
    /// differences to the frame before, so half a frame old.
    pub(super) fn state(&self, frame: usize) -> Option<State<f64>> {
        let (now, next) = (&self.states[frame], self.states.get(frame + 1)?);
        let change = |i: usize| (next.v[i] - now.v[i]).abs();
        let steady = (0..3).all(|i| change(i) < STEADY.0) && (3..6).all(|i| change(i) < STEADY.1);
        let mut state = now.clone();
        state.v.iter_mut().zip(&next.v).for_each(|(v, next)| *v = 0.5 * (*v + next));
        steady.then_some(state)
    }

    /// The last frame in which the cube moves.
    pub(super) fn last_motion(&self) -> usize {
        let moves =
            |s: &State<f64>| s.v[..3].iter().map(|v| v * v).sum::<f64>() > AT_REST * AT_REST;
        self.states.iter().rposition(moves).unwrap_or(0)
    }
}

/// Reads the tosses.
pub(super) fn read(data: &DataFolder, model: &Model<f64>) -> anyhow::Result<Vec<Toss>> {
    let state = |(Pose { pos, quat }, v): (Pose, [f64; 6])| {
        let mut state = State::neutral(model);
        state.q[..3].copy_from_slice(&pos.to_array());
        state.q[3..].copy_from_slice(&quat.to_array());
        state.v.copy_from_slice(&v);
        state
    };
    let toss = |(name, frames): (String, Vec<tosses::Frame>)| {
        let states: Vec<State<f64>> = frames.into_iter().map(state).collect();
        Toss { name, touch: first_touch(&states), states }
    };
    Ok(tosses::read(data)?.into_iter().map(toss).collect())
}

/// The first frame in which the cube touches the table, or the last frame if it never does.
pub(super) fn first_touch(states: &[State<f64>]) -> usize {
    let touches = |state: &State<f64>| lowest_corner(state) < TOUCH;
    states.iter().position(touches).unwrap_or(states.len().saturating_sub(1))
}

/// Training tosses and held-out tosses.
pub(super) struct Split {
    pub(super) seen: Vec<Toss>,
    pub(super) held_out: Vec<Toss>,
}

/// Every fourth toss is held out.
pub(super) fn split(tosses: Vec<Toss>) -> Split {
    let mut split = Split { seen: Vec::new(), held_out: Vec::new() };
    for (k, toss) in tosses.into_iter().enumerate() {
        let to = if k % HELD_OUT == 0 { &mut split.held_out } else { &mut split.seen };
        to.push(toss);
    }
    split
}

/// The camera's noise per axis: root mean square deviation of flights from their parabolas, and of rotations from a
/// constant spin [m, rad].
pub(super) fn noise(tosses: &[Toss]) -> (f64, f64) {
    let (mut places, mut turns, mut count) = (0.0, 0.0, 0.0);
    for toss in tosses {
        let start = toss.start();
        let at = |q: &[f64]| Vec3::new(q[0], q[1], q[2]);
        let (velocity, spin) = (at(&start.v), at(&start.v[3..]));
        for (k, state) in toss.states[..toss.flight()].iter().enumerate() {
            let time = k as f64 / RATE;
            let fallen = Vec3::new(0.0, 0.0, -0.5 * GRAVITY * time * time);
            let off = at(&state.q) - (at(&start.q) + velocity * time + fallen);
            let turned = Quat::from_slice(&start.q[3..]) * Quat::exp(spin * time);
            let turn = (turned.conjugate() * Quat::from_slice(&state.q[3..])).log();
            places += off.dot(off);
            turns += turn.dot(turn);
            count += 3.0;
        }
        // Position and velocity were estimated from the same frames, which costs degrees of freedom.
        count -= 6.0;
    }
    (f64::sqrt(places / f64::max(count, 1.0)), f64::sqrt(turns / f64::max(count, 1.0)))
}

/// The height of the lowest corner [m].
fn lowest_corner(state: &State<f64>) -> f64 {
    let up = Quat::from_slice(&state.q[3..]).to_mat3();
    let reach: f64 = up.cols.iter().map(|axis| axis.z.abs()).sum();
    state.q[2] - 0.5 * SIDE * reach
}

/// Sensors for the position and orientation of the cube.
pub(super) fn sensors(frame: FrameId, law: NoiseLaw) -> Vec<Sensor> {
    let sensor = |name: &str, sees, noise| Sensor {
        name: format!("cube/{name}"),
        sees,
        noise,
        estimated: false,
        law,
    };
    let mut sensors: Vec<Sensor> = ["x", "y", "z"]
        .into_iter()
        .enumerate()
        .map(|(axis, name)| sensor(name, Sees::Place(frame, axis), UNIT.0))
        .collect();
    sensors.push(sensor("orientation", Sees::Orientation(frame), UNIT.1));
    sensors
}

/// The poses of a toss as sensor readings.
pub(super) fn recording(toss: &Toss) -> Recording {
    Recording {
        name: toss.name.clone(),
        begin: 0.0,
        measured: toss.states.iter().flat_map(|state| state.q.clone()).collect(),
        present: vec![1.0; toss.states.len() * 4],
        inputs: Vec::new(),
        samples: toss.states.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cube_throw::cube::scene;

    #[test]
    fn a_start_is_found_from_the_flight() {
        let model = scene().expect("a scene");
        let spin = Vec3::new(2.0, -1.0, 0.5);
        let at = |k: usize| {
            let time = k as f64 / RATE;
            let mut state = State::neutral(&model);
            state.q[0] = 0.7 * time;
            state.q[2] = 0.3 + 0.2 * time - 0.5 * GRAVITY * time * time;
            state.q[3..].copy_from_slice(&Quat::exp(spin * time).to_array());
            state
        };
        let states: Vec<State<f64>> = (0..20).map(at).collect();
        let toss = Toss { name: "flight".into(), touch: first_touch(&states), states };
        assert_eq!(toss.touch, 19, "it does not touch");
        let expected = [0.7, 0.0, 0.2, spin.x, spin.y, spin.z];
        for (v, expected) in toss.start().v.iter().zip(expected) {
            assert!((v - expected).abs() < 1e-9, "{v} is not {expected}");
        }
        let (places, turns) = noise(&[toss]);
        assert!(places < 1e-9 && turns < 1e-9, "no noise");
    }
}
