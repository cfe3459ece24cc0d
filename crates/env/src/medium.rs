//! Forces of a fluid on links, as on boxes of the same mass and moments of inertia.
//!
//! In the axes of the box, with its sides b, velocity u of its centre and angular velocity w, for a density ρ, a
//! viscosity μ and the mean side d:
//!
//! ```text
//!   f₁ = −3 π μ d u₁ − ½ ρ b₂ b₃ |u₁| u₁
//!   τ₁ = −π μ d³ w₁ − ρ b₁ (b₂⁴ + b₃⁴) |w₁| w₁ / 64
//! ```
//! [MuJoCo's documentation, "Fluid forces", inertia model]. The forces are taps of the step, so that a Runge-Kutta
//! step evaluates them at each of its points.

use gradbody_dynamics::{BodyCotangents, BodyKinematics, Kinematics, KinematicsCotangents};
use gradbody_math::{Force, Motion, Scalar, Vec3};
use gradbody_model::Model;
use gradbody_sim::{BatchTaps, GroupTaps, Simulated, TapRecord, Taps, TapsVjp};

/// A fluid around a robot, and the boxes that stand for its links.
#[derive(Clone, Debug)]
pub struct Medium {
    /// The drag of each link that has mass.
    drags: Vec<Drag>,
}

/// The coefficients of one link.
#[derive(Clone, Copy, Debug)]
struct Drag {
    /// Index of the link.
    link: usize,
    /// Centre of mass in the link's axes [m].
    com: [f64; 3],
    /// Force against a velocity along each axis [N s/m].
    linear: f64,
    /// Torque against an angular velocity about each axis [N m s].
    angular: f64,
    /// Force against the square of a velocity [N s²/m²].
    linear_squared: [f64; 3],
    /// Torque against the square of an angular velocity [N m s²].
    angular_squared: [f64; 3],
}

impl Medium {
    /// A fluid of this density [kg/m³] and viscosity [Pa s]. The principal axes of inertia of each link must be the
    /// axes of its frame: products of inertia are not read.
    pub fn new(model: &Model<f64>, density: f64, viscosity: f64) -> Self {
        let with_mass =
            model.params.links.iter().enumerate().filter(|(_, inertia)| inertia.mass > 0.0);
        let drags = with_mass.map(|(link, inertia)| {
            let [xx, yy, zz, ..] = inertia.rotational.to_array();
            let side = |other: f64, another: f64, own: f64| {
                Scalar::sqrt((6.0 * (other + another - own) / inertia.mass).max(0.0))
            };
            let b = [side(yy, zz, xx), side(zz, xx, yy), side(xx, yy, zz)];
            let mean = (b[0] + b[1] + b[2]) / 3.0;
            let pi = std::f64::consts::PI;
            let others = [(1, 2), (0, 2), (0, 1)];
            Drag {
                link,
                com: inertia.com.to_array(),
                linear: 3.0 * pi * viscosity * mean,
                angular: pi * viscosity * mean * mean * mean,
                linear_squared: others.map(|(i, j)| 0.5 * density * b[i] * b[j]),
                angular_squared: [0, 1, 2].map(|k| {
                    let (i, j) = others[k];
                    density * b[k] * (b[i].powi(4) + b[j].powi(4)) / 64.0
                }),
            }
        });
        Medium { drags: drags.collect() }
    }
}

/// What acts on a link, and what it came from.
struct Acting<S> {
    /// From the link's origin to its centre of mass [m].
    arm_w: Vec3<S>,
    /// Velocities in the link's axes: of turning, of the centre of mass.
    turning_b: Vec3<S>,
    velocity_b: Vec3<S>,
    /// Torque and force at the centre of mass, in the world's axes.
    torque_w: Vec3<S>,
    force_w: Vec3<S>,
}

impl Drag {
    #[inline(always)]
    fn act<S: Scalar>(&self, body: &BodyKinematics<S>) -> Acting<S> {
        let arm_w = body.rot_wb * Vec3::from_f64(self.com);
        let velocity_w = body.ang_vel_w.cross_add(arm_w, body.lin_vel_w);
        let turning_b = body.rot_wb.transpose_mul(body.ang_vel_w);
        let velocity_b = body.rot_wb.transpose_mul(velocity_w);
        let torque_b = resisted(turning_b, self.angular, self.angular_squared);
        let force_b = resisted(velocity_b, self.linear, self.linear_squared);
        let (torque_w, force_w) = (body.rot_wb * torque_b, body.rot_wb * force_b);
        Acting { arm_w, turning_b, velocity_b, torque_w, force_w }
    }

    /// The adjoint: `bar` is the cotangent of the force on the link at its origin.
    #[inline(always)]
    fn act_vjp<S: Scalar>(
        &self,
        body: &BodyKinematics<S>,
        bar: &Motion<S>,
        to: &mut BodyCotangents<S>,
    ) {
        let Acting { arm_w, turning_b, velocity_b, torque_w, force_w } = self.act(body);
        // At the origin the torque is τ + r × f.
        let force_bar = bar.ang.cross_add(arm_w, bar.lin);
        let mut arm_bar = force_w.cross(bar.ang);
        let through = |v: Vec3<S>, bar_w: Vec3<S>, linear, squared| {
            let bar_b = body.rot_wb.transpose_mul(bar_w);
            body.rot_wb * resisted_vjp(v, linear, squared, bar_b)
        };
        let turning_bar = through(turning_b, bar.ang, self.angular, self.angular_squared);
        let velocity_bar = through(velocity_b, force_bar, self.linear, self.linear_squared);
        let velocity_w = body.rot_wb * velocity_b;
        // Vectors that the link carries along turn with it; those that it sees turn against it.
        let turn_w = torque_w.cross(bar.ang)
            + force_w.cross(force_bar)
            + turning_bar.cross(body.ang_vel_w)
            + velocity_bar.cross(velocity_w);
        // The velocity of the centre of mass is v + ω × r.
        to.lin_vel_w += velocity_bar;
        to.ang_vel_w += turning_bar + arm_w.cross(velocity_bar);
        arm_bar += velocity_bar.cross(body.ang_vel_w);
        to.turn_w += arm_w.cross_add(arm_bar, turn_w);
    }
}

/// `−(linear + squared |v|) v` along each axis.
#[inline(always)]
fn resisted<S: Scalar>(v: Vec3<S>, linear: f64, squared: [f64; 3]) -> Vec3<S> {
    let along = |k: usize| {
        let rate = S::from_f64(squared[k]).mul_add(v[k].abs(), S::from_f64(linear));
        -(rate * v[k])
    };
    Vec3::new(along(0), along(1), along(2))
}

#[inline(always)]
fn resisted_vjp<S: Scalar>(v: Vec3<S>, linear: f64, squared: [f64; 3], bar: Vec3<S>) -> Vec3<S> {
    let along = |k: usize| {
        let slope = S::from_f64(2.0 * squared[k]).mul_add(v[k].abs(), S::from_f64(linear));
        -(slope * bar[k])
    };
    Vec3::new(along(0), along(1), along(2))
}

/// The fluid of an environment, if it has one: taps of a batch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Around<'a>(pub(crate) Option<&'a Medium>);

impl BatchTaps for Around<'_> {
    fn for_worlds<S: Simulated>(&self, _: &[usize]) -> Box<dyn GroupTaps<S> + '_> {
        Box::new(*self)
    }
}

impl<S: Scalar> GroupTaps<S> for Around<'_> {}

impl Around<'_> {
    fn drags(&self) -> &[Drag] {
        self.0.map_or(&[], |medium| &medium.drags)
    }
}

impl<S: Scalar> Taps<S> for Around<'_> {
    fn is_idle(&self) -> bool {
        self.0.is_none()
    }

    fn looks_at_accelerations(&self) -> bool {
        false
    }

    fn wrenches(&mut self, _: &mut TapRecord, kin: &Kinematics<S>, external: &mut [Force<S>]) {
        S::in_registers(
            #[inline(always)]
            || {
                for drag in self.drags() {
                    let Acting { arm_w, torque_w, force_w, .. } = drag.act(&kin.bodies[drag.link]);
                    let on_link = &mut external[drag.link];
                    on_link.ang += arm_w.cross_add(force_w, torque_w);
                    on_link.lin += force_w;
                }
            },
        );
    }
}

impl<S: Scalar> TapsVjp<S> for Around<'_> {
    fn wrenches_vjp(
        &mut self,
        _: &TapRecord,
        kin: &Kinematics<S>,
        external: &mut [Force<S>],
        external_bar: &mut [Motion<S>],
        kin_bar: &mut KinematicsCotangents<S>,
    ) {
        S::in_registers(
            #[inline(always)]
            || {
                for drag in self.drags() {
                    let body = &kin.bodies[drag.link];
                    let Acting { arm_w, torque_w, force_w, .. } = drag.act(body);
                    let on_link = &mut external[drag.link];
                    on_link.ang -= arm_w.cross_add(force_w, torque_w);
                    on_link.lin -= force_w;
                    drag.act_vjp(body, &external_bar[drag.link], &mut kin_bar.bodies[drag.link]);
                }
            },
        );
    }
}
