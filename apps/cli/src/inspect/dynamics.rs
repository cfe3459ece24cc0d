//! The rigid-body dynamics of a model at one state.

use std::fmt::Write as _;

use anyhow::bail;
use gradbody::dynamics::{
    AbaWork, CrbaWork, JointStops, Kinematics, RneaWork, aba, bias_forces, centre_of_mass, crba,
    frame_pose, joint_forces, kinematics, momentum, velocities,
};
use gradbody::math::{Force, Quat, Transform, Vec3};
use gradbody::model::{FrameId, Model};
use gradbody::sim::Energy;

use crate::state_args::Start;
use gradbody_report::text::{Align, Table, number, tuple};

/// Poses, forces, accelerations and energies at a state.
pub(super) struct Dynamics {
    /// Pose of each named frame in the world.
    pub(super) poses: Vec<(String, Transform<f64>)>,
    /// M, by rows.
    pub(super) mass_matrix: Vec<Vec<f64>>,
    /// Coriolis, centrifugal and gravity forces.
    pub(super) bias: Vec<f64>,
    /// Passive joint forces: springs, damping, friction, limits.
    pub(super) passive: Vec<f64>,
    /// M⁻¹ (tau − bias).
    pub(super) qdd: Vec<f64>,
    /// M⁻¹ (tau + passive − bias).
    pub(super) qdd_passive: Vec<f64>,
    pub(super) energy: Energy<f64>,
    /// Centre of mass.
    pub(super) com: Vec3<f64>,
    /// About the centre of mass.
    pub(super) momentum: Force<f64>,
}

impl Dynamics {
    /// Computes them at `start`; its time and controls have no effect.
    pub(super) fn at(model: &Model<f64>, start: &Start) -> anyhow::Result<Self> {
        let (q, v) = (&start.state.q, &start.state.v);
        let mut kin = Kinematics::new(model);
        kinematics(model, q, &mut kin);
        velocities(model, v, &mut kin);

        let mut crba_work = CrbaWork::new(model);
        crba(model, &kin, &mut crba_work);
        let matrix = &crba_work.mass_matrix;
        let row = |i| (0..model.nv()).map(|j| matrix.at(i, j)).collect();
        let mass_matrix = (0..model.nv()).map(row).collect();

        let mut rnea_work = RneaWork::new(model);
        bias_forces(model, &kin, &mut rnea_work);
        let mut passive = vec![0.0; model.nv()];
        joint_forces(model, q, v, JointStops::Soft, &mut passive);

        let mut aba_work = AbaWork::new(model);
        let mut accelerations = |tau: &[f64]| {
            aba(model, &kin, tau, &[], &mut aba_work);
            aba_work.qdd.clone()
        };
        let qdd = accelerations(&start.tau);
        let driven: Vec<f64> = start.tau.iter().zip(&passive).map(|(a, b)| a + b).collect();
        let qdd_passive = accelerations(&driven);
        let frames = model.topology.frames.iter().enumerate();
        let pose = |i| frame_pose(model, &kin, FrameId::new(i));
        let dynamics = Dynamics {
            poses: frames.map(|(i, frame)| (frame.name.clone(), pose(i))).collect(),
            mass_matrix,
            bias: rnea_work.tau,
            passive,
            qdd,
            qdd_passive,
            energy: Energy::of(model, &kin, q, v),
            com: centre_of_mass(model, &kin),
            momentum: momentum(model, &kin),
        };
        dynamics.check(model)?;
        Ok(dynamics)
    }

    /// Fails if a result is not finite.
    fn check(&self, model: &Model<f64>) -> anyhow::Result<()> {
        let names = model.topology.velocity_names();
        let accelerations = names.iter().zip(self.qdd.iter().zip(&self.qdd_passive));
        for (name, (qdd, qdd_passive)) in accelerations {
            if !(qdd.is_finite() && qdd_passive.is_finite()) {
                bail!(
                    "at this state the acceleration of {name} is undefined: nothing resists its \
                     motion, or the state's numbers are too large"
                );
            }
        }
        let finite = |numbers: &[f64]| numbers.iter().all(|x| x.is_finite());
        let pose = |pose: &Transform<f64>| {
            finite(&pose.pos.to_array()) && finite(&Quat::from_mat3(&pose.rot).to_array())
        };
        for (what, is_finite) in [
            ("mass matrix", self.mass_matrix.iter().all(|row| finite(row))),
            ("bias force", finite(&self.bias)),
            ("passive force", finite(&self.passive)),
            ("energy", self.energy.total().is_finite()),
            ("centre of mass", finite(&self.com.to_array())),
            ("momentum", self.momentum.is_finite()),
            ("pose of a frame", self.poses.iter().all(|(_, p)| pose(p))),
        ] {
            if !is_finite {
                bail!("at this state the {what} is not finite: the state's numbers are too large");
            }
        }
        Ok(())
    }

    /// Appends it as text to `out`.
    pub(super) fn write(&self, model: &Model<f64>, start: &Start, out: &mut String) {
        self.write_state(model, start, out);
        self.write_poses(out);
        self.write_mass_matrix(model, out);
        let mut line = |name: &str, value: String| {
            let _ = writeln!(out, "  {name:<18} {value}");
        };
        line("kinetic energy", format!("{} J", number(self.energy.kinetic)));
        line("potential energy", format!("{} J, in gravity", number(self.energy.gravitational)));
        line("elastic energy", format!("{} J, in joint springs", number(self.energy.elastic)));
        line("centre of mass", format!("{} m", tuple(&self.com.to_array())));
        line("linear momentum", format!("{} N s", tuple(&self.momentum.lin.to_array())));
        let spin = tuple(&self.momentum.ang.to_array());
        line("angular momentum", format!("{spin} N m s, about the centre of mass"));
    }

    fn write_state(&self, model: &Model<f64>, start: &Start, out: &mut String) {
        out.push_str("\npositions\n");
        let mut table = Table::new(&[("", Align::Left), ("q", Align::Right)]);
        for (name, q) in model.topology.position_names().iter().zip(&start.state.q) {
            table.row(vec![name.clone(), number(*q)]);
        }
        table.write(out);
        out.push_str("\nvelocities, forces and accelerations\n");
        let heads = ["v", "tau", "bias", "passive", "qdd", "qdd with passive"];
        let heads: Vec<_> = heads.iter().map(|head| (*head, Align::Right)).collect();
        let mut table = Table::new(&[&[("", Align::Left)], &heads[..]].concat());
        for (i, name) in model.topology.velocity_names().into_iter().enumerate() {
            let columns: [&[f64]; 6] = [
                &start.state.v,
                &start.tau,
                &self.bias,
                &self.passive,
                &self.qdd,
                &self.qdd_passive,
            ];
            let mut row = vec![name];
            row.extend(columns.iter().map(|column| number(column[i])));
            table.row(row);
        }
        table.write(out);
    }

    fn write_poses(&self, out: &mut String) {
        out.push_str("\nposes\n");
        let heads = [("frame", Align::Left), ("position [m]", Align::Left)];
        let mut table = Table::new(&[heads[0], heads[1], ("quaternion (w, x, y, z)", Align::Left)]);
        for (name, pose) in &self.poses {
            let quat = Quat::from_mat3(&pose.rot).to_array();
            table.row(vec![name.clone(), tuple(&pose.pos.to_array()), tuple(&quat)]);
        }
        table.write(out);
    }

    fn write_mass_matrix(&self, model: &Model<f64>, out: &mut String) {
        out.push_str("\nmass matrix\n");
        let mut columns = vec![("", Align::Left)];
        columns.resize(model.nv() + 1, ("", Align::Right));
        let mut table = Table::new(&columns);
        for (name, row) in model.topology.velocity_names().into_iter().zip(&self.mass_matrix) {
            let mut cells = vec![name];
            cells.extend(row.iter().map(|x| number(*x)));
            table.row(cells);
        }
        table.write(out);
        out.push('\n');
    }
}
