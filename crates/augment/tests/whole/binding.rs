//! From names to a plan: what blueprints stand for, and what is said of those that cannot be.

use crate::support::{Scene, augmented};
use gradbody_augment::{
    Augmentation, Blueprint, BlueprintError, Kind, Mode, Networks, Plan, Reading, ReadingOptions,
    bind,
};
use gradbody_contact::{Ncp, Solver};
use gradbody_neural::{Activation, Damping, Spread};
use gradbody_sim::Integrator;

fn rigid() -> Scene {
    Scene::new("ncp", Solver::Ncp(Ncp::converged()), Integrator::ImplicitDamping)
}

fn compliant() -> Scene {
    Scene::new("hunt-crossley", Solver::HuntCrossley, Integrator::ImplicitDamping)
}

fn try_bind(scene: &Scene, augmentations: Vec<Augmentation>) -> Result<Plan, BlueprintError> {
    let blueprint = Blueprint { signals: scene.signals(), augmentations };
    bind(&blueprint, &scene.model, &scene.options.contact)
}

/// What is said of augmentations that cannot be.
fn said(scene: &Scene, augmentations: Vec<Augmentation>) -> String {
    match try_bind(scene, augmentations) {
        Ok(_) => panic!("it is bound"),
        Err(error) => error.to_string(),
    }
}

fn net(outputs: &[&'static str], inputs: &[&'static str]) -> Augmentation {
    Augmentation::new("net", outputs.iter().copied(), inputs.iter().copied())
}

fn with(site: &str, change: impl FnOnce(&mut ReadingOptions)) -> Reading {
    let site = site.to_owned();
    let mut reading = ReadingOptions { site, previous: false, history: 0, mean: 0.0, scale: 1.0 };
    change(&mut reading);
    Reading::With(reading)
}

/// Weights of one linear layer with a bias.
fn linear(mut of: Augmentation) -> Augmentation {
    of.network.hidden = Vec::new();
    of
}

fn count(inputs: usize, outputs: usize) -> usize {
    (inputs + 1) * outputs
}

// --- names --------------------------------------------------------------------------------------

#[test]
fn an_unknown_name_is_met_with_the_nearest() {
    let scene = rigid();
    for (asked, nearest) in [
        ("joint/arm/velocty", "joint/arm/velocity"),
        ("joint/sldier/velocity", "joint/slider/velocity"),
        ("link/trunk/wrnch", "link/trunk/wrench"),
        ("link/trunk/pos", "link/trunk/pose"),
        ("contact/foot-gruond/gap", "contact/foot-ground/gap"),
        ("contact/ground-foot/gpa", "contact/ground-foot/gap"),
        ("signal/temperatur", "signal/temperature"),
        ("link/arm/masse", "link/arm/mass"),
    ] {
        let error = said(
            &scene,
            vec![net(&["joint/arm/passive_torque"], &["time"]), {
                let mut of = net(&["joint/arm/passive_torque"], &[]);
                of.name = "second".into();
                of.inputs = vec![Reading::from(asked)];
                of
            }],
        );
        let expected =
            format!("augmentation \"second\": no site \"{asked}\"; did you mean \"{nearest}\"?");
        assert_eq!(error, expected);
    }
}

#[test]
fn a_name_like_no_other_is_unknown_without_a_guess() {
    let error = said(&rigid(), vec![net(&["joint/arm/passive_torque"], &["weather"])]);
    assert_eq!(error, "augmentation \"net\": no site \"weather\"");
}

#[test]
fn a_pattern_without_a_match_is_refused() {
    let scene = rigid();
    for (pattern, hint) in [
        ("joint/*/velocty", "; did you mean \"joint/*/velocity\"?"),
        ("wheel/*/velocity_of_nothing_at_all", ""),
    ] {
        let expected =
            format!("augmentation \"net\": \"{pattern}\" matches no site of this model{hint}");
        let mut of = net(&[], &["time"]);
        of.outputs = vec![pattern.into()];
        assert_eq!(said(&scene, vec![of.clone()]), expected);
        of.networks = Networks::Together;
        assert_eq!(said(&scene, vec![of]), expected);
        let mut of = net(&["joint/arm/passive_torque"], &[]);
        of.inputs = vec![Reading::from(pattern)];
        assert_eq!(said(&scene, vec![of]), expected);
    }
}

#[test]
fn groups_stand_for_their_members() {
    let scene = rigid();
    for (group, members) in [
        ("link/arm/wrench", 6),
        ("link/arm/local_wrench", 6),
        ("link/arm/force", 3),
        ("link/arm/torque", 3),
        ("link/arm/pose", 6),
        ("link/arm/motion", 6),
        ("link/arm/position", 3),
        ("joint/base/passive_torque", 6),
        ("contact/*/friction_coefficient", 1),
        ("contact/foot-ground/normal", 3),
    ] {
        let mut of = linear(net(&[], &["time"]));
        of.outputs = vec![group.into()];
        let plan = try_bind(&scene, vec![of]).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(plan.n_weights(), count(1, members), "{group}");
        let mut of = linear(net(&["joint/arm/end_velocity"], &[]));
        of.inputs = vec![Reading::from(group)];
        let plan = try_bind(&scene, vec![of]).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(plan.n_weights(), count(members, 1), "{group}");
    }
}

#[test]
fn a_wrench_is_its_force_then_its_torque() {
    let scene = rigid();
    let plan = |outputs: &[&'static str]| {
        let plan = try_bind(&scene, vec![net(outputs, &["time"])]).unwrap();
        format!("{plan:?}").replace(&format!("{outputs:?}"), "")
    };
    let apart = plan(&["link/arm/force", "link/arm/torque"]);
    assert_eq!(plan(&["link/arm/wrench"]), apart);
    assert_ne!(plan(&["link/arm/torque", "link/arm/force"]), apart);
}

#[test]
fn a_wildcard_is_one_network_shared_or_one_each_or_one_for_all() {
    let scene = rigid();
    // The shapes of two joints; the base has other sizes, and other names.
    let mut of = linear(net(&["joint/*/position"], &["joint/*/velocity", "time"]));
    let weights = |of: &Augmentation| {
        let plan = try_bind(&scene, vec![of.clone()]).unwrap_or_else(|e| panic!("{e}"));
        let names: Vec<String> = plan.networks().map(|n| n.0.to_owned()).collect();
        (plan.n_weights(), names)
    };
    of.networks = Networks::Shared;
    assert_eq!(weights(&of), (count(2, 1), vec!["net".to_owned()]));
    of.networks = Networks::Each;
    let each = vec!["net.arm".to_owned(), "net.slider".to_owned()];
    assert_eq!(weights(&of), (2 * count(2, 1), each));
    // Together, inputs are those of every joint that has them, the six of the base included.
    of.networks = Networks::Together;
    assert_eq!(weights(&of), (count(8 + 1, 2), vec!["net".to_owned()]));
}

#[test]
fn networks_for_each_begin_differently_and_shared_ones_do_not() {
    let mut of = linear(net(&["joint/*/position"], &["time"]));
    of.networks = Networks::Each;
    let weights = try_bind(&rigid(), vec![of]).unwrap().initial_weights();
    assert_eq!(weights.len(), 4);
    assert_ne!(weights[0], weights[2]);
}

#[test]
fn contacts_are_shared_by_all_or_have_a_network_for_each_pair() {
    let scene = rigid();
    let mut of = linear(net(&["contact/*/friction_coefficient"], &["contact/*/gap", "time"]));
    let shared = try_bind(&scene, vec![of.clone()]).unwrap();
    assert_eq!(shared.n_weights(), count(2, 1));
    of.networks = Networks::Each;
    let each = try_bind(&scene, vec![of]).unwrap();
    let names: Vec<&str> = each.networks().map(|n| n.0).collect();
    assert_eq!(names, ["net.foot-ground", "net.hand-ground"]);
    assert_eq!(each.n_weights(), 2 * count(2, 1));
}

#[test]
fn contacts_have_the_names_of_their_shapes_in_either_order() {
    let scene = rigid();
    let plan = |pair: &str| {
        let mut of = net(&[], &[]);
        of.outputs = vec![format!("contact/{pair}/friction_coefficient")];
        of.inputs = vec![Reading::from(format!("contact/{pair}/point").as_str())];
        let plan = try_bind(&scene, vec![of]).unwrap_or_else(|e| panic!("{e}"));
        format!("{plan:?}").replace(pair, "")
    };
    assert_eq!(plan("foot-ground"), plan("ground-foot"));
    assert_ne!(plan("foot-ground"), plan("hand-ground"));
}

#[test]
fn a_shared_network_has_matches_of_one_size() {
    let error = said(&rigid(), vec![net(&["joint/*/passive_torque"], &["joint/*/velocity"])]);
    assert_eq!(
        error,
        "augmentation \"net\": its matches have different numbers of inputs or outputs (joints of one \
         and of several degrees of freedom, perhaps), so they cannot share a network; name those that \
         can, or write networks = \"each\""
    );
}

// --- order --------------------------------------------------------------------------------------

#[test]
fn what_is_known_later_is_refused_with_the_order_and_can_be_had_of_the_step_before() {
    let scene = rigid();
    let late = "joint/arm/acceleration";
    let error = said(&scene, vec![net(&["joint/arm/passive_torque"], &["joint/arm/acceleration"])]);
    assert_eq!(
        error,
        "augmentation \"net\": \"joint/arm/acceleration\" (accelerations) is known only after \
         \"joint/arm/passive_torque\" (passive joint forces) is used; the order in a step is state → \
         model → links → contacts → contact forces → forces on links → actuators → \
         passive joint forces → accelerations → end velocity → rigid contact forces; write { site = \
         \"joint/arm/acceleration\", previous = true } to use its value of the step before"
    );
    let mut of = net(&["joint/arm/passive_torque"], &[]);
    of.inputs = vec![with(late, |r| r.previous = true)];
    assert_eq!(try_bind(&scene, vec![of]).unwrap().n_memory(), 1);
}

#[test]
fn forces_of_compliant_contacts_are_known_before_joints_act_and_of_rigid_ones_after() {
    let of = || vec![net(&["joint/arm/passive_torque"], &["contact/foot-ground/normal_force"])];
    assert!(try_bind(&compliant(), of()).is_ok());
    let error = said(&rigid(), of());
    assert!(error.contains("(rigid contact forces) is known only after"), "{error}");
}

#[test]
fn augmentations_that_wait_for_each_other_are_named() {
    let one = |name: &str, joint: &str, of: &str| {
        let mut one = net(&[], &[]);
        one.name = name.into();
        one.outputs = vec![format!("joint/{joint}/passive_torque")];
        one.inputs = vec![Reading::from(format!("joint/{of}/passive_torque").as_str())];
        one
    };
    let scene = rigid();
    let mut both = vec![one("left", "arm", "slider"), one("right", "slider", "arm")];
    assert_eq!(
        said(&scene, both.clone()),
        "these augmentations each read what another of them changes: left → right → left; let one of \
         them use the value of the step before (previous = true)"
    );
    both[0].inputs = vec![with("joint/slider/passive_torque", |r| r.previous = true)];
    assert!(try_bind(&scene, both).is_ok());
    // One that reads what it changes itself waits for nobody.
    assert!(try_bind(&scene, vec![one("self", "arm", "arm")]).is_ok());
}

#[test]
fn outputs_that_are_known_at_different_times_are_refused() {
    let of = net(&["joint/arm/passive_torque", "link/arm/force/x"], &["time"]);
    assert_eq!(
        said(&rigid(), vec![of]),
        "augmentation \"net\" changes \"joint/arm/passive_torque\" (passive joint forces) and \
         \"link/arm/force/x\" (forces on links), which are known at different times; give each its \
         own augmentation"
    );
}

#[test]
fn outputs_at_different_contacts_are_refused_for_what_they_are() {
    let of =
        net(&["contact/foot-ground/restitution", "contact/hand-ground/restitution"], &["time"]);
    let error = said(&rigid(), vec![of]);
    assert_eq!(
        error,
        "augmentation \"net\" changes \"contact/foot-ground/restitution\" and \
         \"contact/hand-ground/restitution\", which are of different contacts; give each its \
         own augmentation, or write contact/*/… for all"
    );
}

// --- what cannot be changed or remembered -------------------------------------------------------

#[test]
fn time_and_signals_can_be_read_but_not_changed() {
    for (site, input) in [("time", "joint/arm/velocity"), ("signal/temperature", "time")] {
        assert_eq!(
            said(&rigid(), vec![net(&[site], &[input])]),
            format!("augmentation \"net\": \"{site}\" can be read but not changed")
        );
    }
}

#[test]
fn forces_that_the_solver_finds_can_only_be_added_to() {
    for (asked, site) in [
        ("contact/*/friction", "contact/*/friction/x"),
        ("contact/foot-ground/normal_force", "contact/foot-ground/normal_force"),
    ] {
        let mut of = net(&[], &["time"]);
        of.outputs = vec![asked.into()];
        assert!(try_bind(&rigid(), vec![of.clone()]).is_ok());
        for mode in [Mode::Scale, Mode::Replace] {
            of.mode = mode;
            assert_eq!(
                said(&rigid(), vec![of.clone()]),
                format!(
                    "augmentation \"net\": the force \"{site}\" is found by the solver of rigid contacts, so \
                     a network can only add to it: write mode = \"add\", or change the contact's \
                     friction_coefficient or restitution"
                )
            );
            assert!(try_bind(&compliant(), vec![of.clone()]).is_ok());
        }
    }
}

#[test]
fn a_network_at_a_rigid_contact_cannot_read_the_force_that_is_found_after_it() {
    let of = || vec![net(&["contact/*/friction"], &["contact/*/normal_force"])];
    let error = said(&rigid(), of());
    assert!(error.contains("\"contact/*/normal_force\" (rigid contact forces)"), "{error}");
    assert!(error.contains("\"contact/*/friction/x\" (contact forces) is used"), "{error}");
    assert!(try_bind(&compliant(), of()).is_ok());
}

#[test]
fn networks_at_contacts_remember_nothing() {
    let at_contacts = || net(&["contact/*/friction_coefficient"], &["contact/*/gap"]);
    let mut recurrent = at_contacts();
    recurrent.network.recurrent = 4;
    let mut history = at_contacts();
    history.inputs = vec![with("contact/*/gap", |r| r.history = 2)];
    let mut previous = at_contacts();
    previous.inputs = vec![with("contact/*/normal_force", |r| r.previous = true)];
    for of in [recurrent, history, previous] {
        assert_eq!(
            said(&rigid(), vec![of]),
            "augmentation \"net\" is at contacts, which come and go: it cannot have a history, a \
             previous value or a recurrent network"
        );
    }
}

#[test]
fn a_network_at_one_contact_does_not_read_another() {
    let of = net(&["contact/foot-ground/friction_coefficient"], &["contact/hand-ground/gap"]);
    assert_eq!(
        said(&rigid(), vec![of]),
        "augmentation \"net\" changes \"contact/foot-ground/friction_coefficient\" and reads \
         \"contact/hand-ground/gap\": at contacts, only quantities of the same contact, of links, \
         joints and the model can be read"
    );
}

// --- numbers and names of augmentations ----------------------------------------------------------

#[test]
fn scales_are_finite_and_not_zero_and_means_finite() {
    let scene = rigid();
    let plain = || net(&["joint/arm/passive_torque"], &["time"]);
    let read = |change: &dyn Fn(&mut ReadingOptions)| {
        let mut of = plain();
        of.inputs = vec![with("time", change)];
        said(&scene, vec![of])
    };
    for (value, shown) in [(0.0, "0"), (f64::NAN, "NaN"), (f64::INFINITY, "inf")] {
        let mut of = plain();
        of.output_scale = value;
        let must = "it must be a finite number other than zero";
        assert_eq!(
            said(&scene, vec![of]),
            format!("augmentation \"net\": output_scale is {shown}; {must}")
        );
        assert_eq!(
            read(&|r| r.scale = value),
            format!("augmentation \"net\": the scale of \"time\" is {shown}; {must}")
        );
    }
    assert_eq!(
        read(&|r| r.mean = f64::NAN),
        "augmentation \"net\": the mean of \"time\" is NaN; it must be a finite number"
    );
}

#[test]
fn names_of_augmentations_differ() {
    let of = || net(&["joint/arm/passive_torque"], &["time"]);
    assert_eq!(
        said(&rigid(), vec![of(), of()]),
        "two augmentations are named \"net\"; weights are stored by that name"
    );
}

#[test]
fn an_augmentation_reads_and_changes_something() {
    let scene = rigid();
    assert_eq!(said(&scene, vec![net(&[], &["time"])]), "augmentation \"net\" has no outputs");
    let of = net(&["joint/arm/passive_torque"], &[]);
    assert_eq!(said(&scene, vec![of]), "augmentation \"net\" has no inputs");
}

#[test]
fn a_layer_of_no_neurons_is_refused() {
    let mut of = net(&["joint/arm/passive_torque"], &["time"]);
    of.network.hidden = vec![4, 0];
    assert_eq!(
        said(&rigid(), vec![of]),
        "augmentation \"net\": layer 1 has no outputs: give it at least one"
    );
}

#[test]
fn kinds_stand_only_where_they_can_keep_their_promise() {
    let scene = rigid();
    let of_kind = |kind: Kind, outputs: &[&'static str], inputs: &[&'static str]| {
        let mut of = net(outputs, inputs);
        of.kind = kind;
        of
    };
    let full = Kind::Dissipative(Damping::Full);
    for (kind, output) in [
        (full, "link/arm/mass"),
        (full, "link/arm/local_force/x"),
        (Kind::Conservative, "link/arm/torque/x"),
        (Kind::Conservative, "joint/base/passive_torque/vx"),
    ] {
        let mut of = of_kind(kind, &[], &[]);
        of.outputs = vec![output.into()];
        let error = said(&scene, vec![of]);
        assert!(
            error.contains(&format!("\"{output}\" is not a force that this kind supports")),
            "{error}"
        );
    }
    let mut scaled = of_kind(full, &["joint/arm/passive_torque"], &[]);
    scaled.mode = Mode::Scale;
    assert_eq!(
        said(&scene, vec![scaled]),
        "augmentation \"net\": only added forces can be dissipative, conservative or symmetric; leave mode at \"add\""
    );
    let of = of_kind(Kind::Conservative, &["joint/arm/passive_torque"], &["joint/arm/velocity"]);
    assert!(said(&scene, vec![of]).contains("leave inputs out"));
    for outputs in [&["link/arm/force"][..], &["link/arm/force", "link/arm/force"]] {
        let of = of_kind(Kind::Symmetric, outputs, &["time"]);
        assert!(said(&scene, vec![of]).contains("has two links as its outputs"));
    }
    let mut rough = of_kind(Kind::Conservative, &["joint/arm/passive_torque"], &[]);
    rough.network.activation = Activation::Relu;
    let error = said(&scene, vec![rough]);
    assert!(error.starts_with("augmentation \"net\": layer 0 has activation Relu"), "{error}");
}

// --- text ---------------------------------------------------------------------------------------

const TEXT: &str = r#"
signals = ["temperature"]

[[augmentation]]
name = "friction"
outputs = ["joint/*/position"]
inputs = ["joint/*/velocity", { site = "signal/temperature", history = 2, mean = 20.0, scale = 5.0 }]
mode = "scale"
networks = "each"
output_scale = 0.3

[augmentation.network]
hidden = [8]
activation = "elu"
output_activation = "tanh"
recurrent = 2
residual = true
input_bias = true

[augmentation.initial]
spread = { small = 0.1 }
seed = 9

[augmentation.prior]
l1_inputs = 0.01

[[augmentation]]
name = "drag"
outputs = ["link/arm/wrench"]
kind = { dissipative = "full" }

[[augmentation]]
name = "spring"
outputs = ["joint/arm/passive_torque"]
kind = "conservative"
"#;

#[test]
fn a_blueprint_in_toml_says_what_it_says() {
    let blueprint = Blueprint::from_toml(TEXT).unwrap();
    assert_eq!(blueprint.signals, ["temperature"]);
    let [friction, drag, spring] = &blueprint.augmentations[..] else { panic!("three") };
    assert_eq!(friction.name, "friction");
    assert_eq!(friction.inputs[0], Reading::Site("joint/*/velocity".into()));
    let expected = with("signal/temperature", |r| (r.history, r.mean, r.scale) = (2, 20.0, 5.0));
    assert_eq!(friction.inputs[1], expected);
    assert_eq!((friction.mode, friction.networks), (Mode::Scale, Networks::Each));
    assert_eq!(friction.output_scale, 0.3);
    assert_eq!(friction.network.hidden, [8]);
    assert_eq!(friction.network.activation, Activation::Elu);
    assert_eq!((friction.initial.spread, friction.initial.seed), (Spread::Small(0.1), 9));
    assert_eq!(friction.prior.l1_inputs, 0.01);
    assert_eq!(drag.kind, Kind::Dissipative(Damping::Full));
    assert_eq!((drag.mode, drag.networks), (Mode::Add, Networks::Shared));
    assert_eq!(drag.network.hidden, [16, 16]);
    assert_eq!(spring.kind, Kind::Conservative);
    let scene = rigid();
    assert!(bind(&blueprint, &scene.model, &scene.options.contact).is_ok());
}

#[test]
fn toml_and_json_say_the_same_there_and_back() {
    let mut blueprint = Blueprint::from_toml(TEXT).unwrap();
    blueprint = blueprint.with(augmented("joint/arm/velocity", &[]).augmentations.remove(0));
    assert_eq!(Blueprint::from_json(&blueprint.to_json()).unwrap(), blueprint);
    let text = toml::to_string(&blueprint).unwrap();
    assert_eq!(Blueprint::from_toml(&text).unwrap(), blueprint);
}

#[test]
fn a_key_that_does_not_exist_is_shown_where_it_stands() {
    for (wrong, right, line, expected) in [
        ("ouputs", "outputs", 6, "outputs"),
        ("hiden", "hidden", 13, "hidden"),
        ("l1_input ", "l1_inputs ", 25, "l1_inputs"),
        ("histroy", "history", 7, "history"),
    ] {
        let text = TEXT.replacen(right, wrong, 1);
        let error = Blueprint::from_toml(&text).unwrap_err().to_string();
        assert!(error.starts_with("not a blueprint: "), "{error}");
        assert!(error.contains(&format!("line {line}")), "{error}");
        assert!(error.contains(&format!("unknown field `{}`", wrong.trim())), "{error}");
        assert!(error.contains(&format!("`{expected}`")), "{error}");
    }
    let error = Blueprint::from_json(r#"{"signal": []}"#).unwrap_err().to_string();
    assert!(error.contains("unknown field `signal`") && error.contains("`signals`"), "{error}");
}

#[test]
fn what_is_no_blueprint_is_said_to_be_none() {
    for text in ["augmentation = 3", "[[augmentation]]\nname = 4", "= 3"] {
        let error = Blueprint::from_toml(text).unwrap_err().to_string();
        assert!(error.starts_with("not a blueprint: "), "{error}");
        assert!(error.contains("line 1") || error.contains("line 2"), "{error}");
    }
    let error = Blueprint::from_toml("[[augmentation]]\nname = \"a\"\noutputs = []\ninputs = [4]")
        .unwrap_err()
        .to_string();
    assert!(error.contains("expected the name of a site"), "{error}");
}
