//! For every site of a model with contacts: networks of zero weights change nothing, and gradients through
//! networks that change it, in every mode, and that read it, are those of dual numbers.

use std::collections::BTreeMap;

use crate::support::{Scene, augmented, check_gradients, check_unchanged};
use gradbody_augment::{Mode, Reading, ReadingOptions, Signal, Site, sites};

fn outputs(scene: &Scene) -> Vec<Site> {
    let all = sites(&scene.model, &scene.signals());
    all.into_iter().filter(|site| !scene.modes(site).is_empty()).collect()
}

#[test]
fn zero_weights_change_nothing() {
    for scene in Scene::all() {
        let mut count = 0;
        for site in outputs(&scene) {
            for mode in scene.modes(&site).iter().filter(|mode| **mode != Mode::Replace) {
                let mut blueprint = augmented(&site.name, &[]);
                blueprint.augmentations[0].mode = *mode;
                blueprint.augmentations[0].initial.zero_last = true;
                check_unchanged(&scene, &blueprint, &site.name);
                count += 1;
            }
        }
        assert!(count > 300, "{}: {count} cases", scene.name);
    }
}

/// Sites that nothing depends on in any of the scenes, and why.
const WITHOUT_INFLUENCE: [(&str, &str); 13] = [
    ("joint/arm/limit_lower", "it is at its other limit"),
    ("joint/slider/limit_lower", "it is at its other limit"),
    ("joint/base/armature by Scale", "zero"),
    ("joint/base/friction", "zero"),
    ("joint/base/placement/", "zero"),
    ("joint/base/stiffness by Scale", "zero"),
    ("link/tool/position/", "the tool touches nothing"),
    ("link/tool/velocity/", "the tool touches nothing"),
    ("shape/foot/size/y", "a ball has one size"),
    ("shape/foot/size/z", "a ball has one size"),
    ("shape/hand/size/", "a ball has one size"),
    ("shape/ground/size/", "a plane has none"),
    ("contact/hand-ground/restitution", "the hand is too slow to bounce"),
];

#[test]
fn what_a_network_changes_has_the_gradient_of_dual_numbers() {
    let mut silent: BTreeMap<String, usize> = BTreeMap::new();
    let scenes = Scene::all();
    for scene in &scenes {
        let mut worst = 0.0_f64;
        for site in outputs(scene) {
            for mode in scene.modes(&site) {
                let mut blueprint = augmented(&site.name, &[]);
                blueprint.augmentations[0].mode = *mode;
                blueprint.augmentations[0].output_scale = match mode {
                    Mode::Replace => scene.usual(&site),
                    // What is moved stays in contact.
                    Mode::Add if site.unit == "m" => 2e-4,
                    Mode::Add if scene.is_found_by_the_solver(&site) => 2.0,
                    _ => 0.02,
                };
                let label = format!("{} by {mode:?}", site.name);
                let found = check_gradients(scene, &blueprint, &format!("{}: {label}", scene.name));
                worst = worst.max(found.error);
                *silent.entry(label).or_default() += usize::from(found.slope != 0.0);
            }
        }
        println!("{}: worst {worst:.1e}", scene.name);
    }
    silent.retain(|_, found| *found == 0);
    let expected = |label: &&String| WITHOUT_INFLUENCE.iter().any(|(part, _)| label.contains(part));
    let unexpected: Vec<&String> = silent.keys().filter(|label| !expected(label)).collect();
    assert!(unexpected.is_empty(), "no influence in any scene: {unexpected:#?}");
    for (part, why) in WITHOUT_INFLUENCE {
        assert!(silent.keys().any(|label| label.contains(part)), "{part} ({why}) has influence");
    }
}

#[test]
fn what_a_network_reads_has_the_gradient_of_dual_numbers() {
    for scene in Scene::all() {
        for site in sites(&scene.model, &scene.signals()) {
            let late = scene.is_found_by_the_solver(&site);
            let mut blueprint = augmented("joint/arm/end_velocity", &[]);
            blueprint.augmentations[0].output_scale = 0.05;
            blueprint.augmentations[0].inputs = vec![
                Reading::With(ReadingOptions {
                    site: site.name.clone(),
                    previous: late,
                    history: usize::from(!matches!(site.signal, Signal::Time)),
                    mean: 0.1,
                    scale: 2.0,
                }),
                Reading::from("joint/arm/velocity"),
            ];
            let label = format!("{}: reads {}", scene.name, site.name);
            let found = check_gradients(&scene, &blueprint, &label);
            assert!(found.slope != 0.0, "{label} does nothing");
        }
    }
}
