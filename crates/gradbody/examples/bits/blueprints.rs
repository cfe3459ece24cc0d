//! Blueprints with networks at each stage of a quadruped's step, and at all stages together.

use gradbody::augment::BlueprintError;
use gradbody::prelude::Blueprint;

/// A signal given with each step, for networks to read.
const SIGNALS: &str = "signals = [\"temperature\"]\n";

/// Stage, whether it needs compliant contacts, and its augmentations.
const STAGES: [(&str, bool, &str); 10] = [
    ("state", false, STATE),
    ("model", false, MODEL),
    ("links", false, LINKS),
    ("contacts", false, CONTACTS),
    ("contact-forces", true, CONTACT_FORCES),
    ("wrenches", false, WRENCHES),
    ("actuators", false, ACTUATORS),
    ("passive", false, PASSIVE),
    ("accelerations", false, ACCELERATIONS),
    ("end-velocity", false, END_VELOCITY),
];

/// Name, whether compliant contacts are needed, and blueprint.
pub(crate) fn blueprints() -> Result<Vec<(String, bool, Blueprint)>, BlueprintError> {
    let mut all = Vec::new();
    for (name, compliant, text) in STAGES {
        let blueprint = Blueprint::from_toml(&format!("{SIGNALS}{text}"))?;
        all.push((name.to_owned(), compliant, blueprint));
    }
    for (name, compliant) in [("all-rigid", false), ("all-compliant", true)] {
        let fits = |stage: &&(&str, bool, &str)| compliant || !stage.1;
        let texts: String = STAGES.iter().filter(fits).map(|(.., text)| *text).collect();
        all.push((name.to_owned(), compliant, Blueprint::from_toml(&format!("{SIGNALS}{texts}"))?));
    }
    Ok(all)
}

const STATE: &str = r#"
[[augmentation]]
name = "encoder"
outputs = ["joint/FL_thigh_joint/position"]
inputs = ["joint/FL_thigh_joint/velocity", "time", "signal/temperature"]
output_scale = 1e-3
network = { hidden = [5] }

[[augmentation]]
name = "backlash"
outputs = ["joint/FR_calf_joint/velocity"]
inputs = [{ site = "joint/FR_calf_joint/position", history = 2, mean = -1.0, scale = 0.5 }]
mode = "scale"
output_scale = 0.02
network = { hidden = [4] }
"#;

const MODEL: &str = r#"
[[augmentation]]
name = "load"
outputs = ["link/trunk/mass"]
inputs = ["joint/FL_calf_joint/position", "signal/temperature"]
mode = "scale"
output_scale = 0.05
network = { hidden = [4] }

[[augmentation]]
name = "grease"
outputs = ["joint/*_joint/damping"]
inputs = ["joint/*_joint/velocity", "signal/temperature"]
output_scale = 0.1
network = { hidden = [4], activation = "softplus" }

[[augmentation]]
name = "slope"
outputs = ["gravity/x"]
inputs = ["time", "joint/RL_hip_joint/position"]
output_scale = 0.2
network = { hidden = [3] }
"#;

const LINKS: &str = r#"
[[augmentation]]
name = "bending"
outputs = ["link/FL_calf/position/z"]
inputs = ["link/trunk/orientation", "link/trunk/velocity/z"]
output_scale = 1e-3
network = { hidden = [4] }

[[augmentation]]
name = "twist"
outputs = ["link/FR_calf/spin/x"]
inputs = ["link/FR_thigh/pose"]
output_scale = 0.02
network = { hidden = [4] }
"#;

const CONTACTS: &str = r#"
[[augmentation]]
name = "sole"
outputs = ["contact/*/gap"]
inputs = ["contact/*/penetration_rate", "joint/FL_calf_joint/velocity"]
output_scale = 5e-4
network = { hidden = [4] }

[[augmentation]]
name = "grip"
outputs = ["contact/*/friction_coefficient"]
inputs = ["contact/*/sliding_velocity", "contact/*/point"]
mode = "scale"
output_scale = 0.1
network = { hidden = [5, 5], residual = true }

[[augmentation]]
name = "bumps"
outputs = ["contact/*/normal/x"]
inputs = ["contact/*/point/x", "time"]
output_scale = 0.02
network = { hidden = [4] }
"#;

const CONTACT_FORCES: &str = r#"
[[augmentation]]
name = "brake"
outputs = ["contact/*/friction"]
inputs = [{ site = "contact/*/normal_force", mean = 60.0, scale = 50.0 }, "contact/*/sliding_velocity"]
kind = { dissipative = "isotropic" }
network = { hidden = [4] }

[[augmentation]]
name = "rubber"
outputs = ["contact/*/normal_force"]
inputs = [{ site = "contact/*/gap", scale = 1e-3 }, "contact/*/penetration_rate"]
mode = "scale"
output_scale = 0.1
network = { hidden = [4] }
"#;

const WRENCHES: &str = r#"
[[augmentation]]
name = "wind"
outputs = ["link/trunk/wrench"]
inputs = ["link/trunk/motion", "signal/temperature"]
output_scale = 2.0
network = { hidden = [6] }

[[augmentation]]
name = "drag"
outputs = ["link/FL_calf/force"]
inputs = ["link/FL_calf/velocity"]
kind = { dissipative = "diagonal" }
network = { hidden = [4] }

[[augmentation]]
name = "thrust"
outputs = ["link/FR_calf/local_force"]
inputs = ["link/FR_calf/spin"]
output_scale = 0.5
network = { hidden = [4] }

[[augmentation]]
name = "rope"
outputs = ["link/RL_calf/force", "link/RR_calf/force"]
inputs = ["link/RL_calf/position", "link/RR_calf/position"]
kind = "symmetric"
networks = "together"
network = { hidden = [4] }
"#;

const ACTUATORS: &str = r#"
[[augmentation]]
name = "motors"
outputs = ["joint/*_joint/actuator_force"]
inputs = ["joint/*_joint/velocity", "joint/*_joint/position"]
output_scale = 0.5
network = { hidden = [4], recurrent = 3 }
"#;

const PASSIVE: &str = r#"
[[augmentation]]
name = "friction"
outputs = ["joint/FL_thigh_joint/passive_torque", "joint/FL_calf_joint/passive_torque"]
inputs = ["joint/FL_thigh_joint/velocity", "joint/FL_calf_joint/velocity"]
kind = { dissipative = "full" }
networks = "together"
network = { hidden = [4] }

[[augmentation]]
name = "springs"
outputs = ["joint/RL_thigh_joint/passive_torque", "joint/RL_calf_joint/passive_torque"]
inputs = ["joint/RL_thigh_joint/position", "joint/RL_calf_joint/position"]
kind = "conservative"
networks = "together"
network = { hidden = [5] }

[[augmentation]]
name = "cable"
outputs = ["joint/RR_hip_joint/passive_torque"]
inputs = ["joint/RR_hip_joint/actuator_force", { site = "joint/RR_hip_joint/end_velocity", previous = true }]
mode = "replace"
network = { hidden = [4] }
"#;

const ACCELERATIONS: &str = r#"
[[augmentation]]
name = "buoyancy"
outputs = ["joint/root/acceleration/vz"]
inputs = ["link/trunk/position/z", "joint/FL_hip_joint/passive_torque"]
output_scale = 0.5
network = { hidden = [4] }
"#;

const END_VELOCITY: &str = r#"
[[augmentation]]
name = "stop"
outputs = ["joint/FR_thigh_joint/end_velocity"]
inputs = [{ site = "joint/FR_thigh_joint/acceleration", scale = 50.0 }, "joint/FR_calf_joint/velocity"]
mode = "scale"
output_scale = 0.05
network = { hidden = [4] }
"#;
