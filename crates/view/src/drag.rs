//! The mouse's pull on a body: a spring and a damper in acceleration space.
//!
//! The wanted acceleration of the held point is k (target − point) − c velocity, that of a critically damped spring. The
//! force is this times the mass that the point presents in that direction, so that light and heavy bodies follow the
//! mouse alike. It is bounded by a multiple of the weight of everything that hangs together with the body, so that a
//! pull cannot tear a simulation apart.

use gradbody_dynamics::{CrbaWork, MassFactors, crba, factorise, point_jacobian, solve};
use gradbody_dynamics::{Kinematics, kinematics, velocities};
use gradbody_math::{Force, Motion, Vec3};
use gradbody_model::{LinkId, Model};

use crate::protocol::{Drag, DragNumbers};

/// Natural frequency of the spring [rad/s]: a body follows the mouse in about a quarter of a second.
const FREQUENCY: f64 = 12.0;
/// The frequency times the time step is at most this, so that the explicit spring is stable.
const STABLE: f64 = 0.25;
/// The largest pull in accelerations of free fall of everything that hangs together.
const MOST_WEIGHTS: f64 = 10.0;
/// The acceleration that counts as free fall, whatever gravity is set to [m/s²].
const FREE_FALL: f64 = 9.81;

/// A force on a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pull {
    /// The body.
    pub(crate) link: LinkId,
    /// The held point in the world [m].
    pub(crate) point_w: Vec3<f64>,
    /// The force [N].
    pub(crate) force_w: Vec3<f64>,
    /// From the body's origin to the point [m].
    lever_w: Vec3<f64>,
    /// Whether it is as large as it may be.
    bounded: bool,
}

impl Pull {
    /// As a force on the link at its origin.
    pub(crate) fn on_link(&self) -> Force<f64> {
        Force::new(self.lever_w.cross(self.force_w), self.force_w)
    }

    /// As in a frame.
    pub(crate) fn numbers(&self) -> DragNumbers {
        let ([x, y, z], [fx, fy, fz]) = (self.point_w.to_array(), self.force_w.to_array());
        let body = (self.link.index() + 1) as f64;
        let state = if self.bounded { 2.0 } else { 1.0 };
        [state, body, x, y, z, fx, fy, fz].map(|x| x as f32)
    }
}

/// Computes pulls.
#[derive(Clone, Debug)]
pub(crate) struct Hand {
    kin: Kinematics<f64>,
    mass: CrbaWork<f64>,
    factors: MassFactors<f64>,
    columns: Vec<Motion<f64>>,
    answer: Vec<f64>,
}

impl Hand {
    pub(crate) fn new(model: &Model<f64>) -> Self {
        Hand {
            kin: Kinematics::new(model),
            mass: CrbaWork::new(model),
            factors: MassFactors::new(model),
            columns: vec![Motion::ZERO; model.nv()],
            answer: vec![0.0; model.nv()],
        }
    }

    /// The pull at a state. `drag` names a link of this model.
    pub(crate) fn pull(
        &mut self,
        model: &Model<f64>,
        q: &[f64],
        v: &[f64],
        dt: f64,
        drag: &Drag,
    ) -> Pull {
        let link = LinkId::new(drag.body - 1);
        kinematics(model, q, &mut self.kin);
        velocities(model, v, &mut self.kin);
        let body = &self.kin.bodies[link.index()];
        let lever_w = body.rot_wb * Vec3::from_f64(drag.point);
        let point_w = body.pos_w + lever_w;
        let velocity = body.lin_vel_w + body.ang_vel_w.cross(lever_w);
        let rate = FREQUENCY.min(STABLE / dt);
        let wanted =
            (Vec3::from_f64(drag.target) - point_w) * (rate * rate) - velocity * (2.0 * rate);
        let mut force_w = wanted * self.mass_towards(model, link, point_w, wanted);
        let (size, limit) = (force_w.norm(), limit(model, link));
        let bounded = size > limit;
        if bounded {
            force_w = force_w * (limit / size);
        }
        Pull { link, point_w, force_w, lever_w, bounded }
    }

    /// Work of a pull in a step of `dt` from velocity `v` to `v_end`, at the mean of both [J].
    pub(crate) fn work(
        &mut self,
        model: &Model<f64>,
        pull: &Pull,
        v: &[f64],
        v_end: &[f64],
        dt: f64,
    ) -> f64 {
        point_jacobian(model, &self.kin, pull.link, pull.point_w, &mut self.columns);
        let along = |column: &Motion<f64>| column.lin.dot(pull.force_w);
        let speeds = v.iter().zip(v_end).map(|(a, b)| 0.5 * (a + b));
        self.columns.iter().zip(speeds).map(|(column, v)| along(column) * v * dt).sum()
    }

    /// The mass that a point presents to a force in a direction, at most that of everything that hangs together [kg].
    fn mass_towards(
        &mut self,
        model: &Model<f64>,
        link: LinkId,
        point_w: Vec3<f64>,
        direction: Vec3<f64>,
    ) -> f64 {
        let most = mass_with(model, link);
        let length = direction.norm();
        if length == 0.0 {
            return most;
        }
        // 1 / (n · J M⁻¹ Jᵀ n)
        point_jacobian(model, &self.kin, link, point_w, &mut self.columns);
        crba(model, &self.kin, &mut self.mass);
        factorise(&self.mass.mass_matrix, &mut self.factors);
        let rows = self.columns.iter().map(|column| column.lin.dot(direction) / length);
        let rows: Vec<f64> = rows.collect();
        self.answer.copy_from_slice(&rows);
        solve(&self.factors, &mut self.answer);
        let yields: f64 = rows.iter().zip(&self.answer).map(|(a, b)| a * b).sum();
        let mass = 1.0 / yields;
        if mass.is_finite() && mass > 0.0 { mass.min(most) } else { most }
    }
}

/// The largest pull on a link [N].
pub(crate) fn limit(model: &Model<f64>, link: LinkId) -> f64 {
    MOST_WEIGHTS * FREE_FALL * mass_with(model, link)
}

/// The largest pull on any link [N].
pub(crate) fn largest_limit(model: &Model<f64>) -> f64 {
    model.topology.link_ids().map(|link| limit(model, link)).fold(0.0, f64::max)
}

/// The mass of all links that hang together with this one [kg].
fn mass_with(model: &Model<f64>, link: LinkId) -> f64 {
    let root = |mut link: LinkId| {
        while let Some(parent) = model.topology.links[link.index()].parent {
            link = parent;
        }
        link
    };
    let own = root(link);
    let tree = model.topology.link_ids().filter(|other| root(*other) == own);
    tree.map(|link| model.params.links[link.index()].mass).sum()
}
