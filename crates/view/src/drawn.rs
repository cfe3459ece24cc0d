//! What is drawn of a model: its scene, and which body carries which.

use std::ops::Deref;

use gradbody_draw::Scene;
use gradbody_model::Model;
use serde::Serialize;

/// A scene with the tree of its bodies.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Drawn {
    /// The scene.
    #[serde(flatten)]
    pub scene: Scene,
    /// For each body the one that carries it; the world for the world.
    pub parents: Vec<usize>,
}

impl Drawn {
    /// Of a model, with notes before those of the scene.
    pub fn of(model: &Model<f64>, notes: &[String]) -> Self {
        let mut scene = Scene::of(model);
        scene.notes.splice(0..0, notes.iter().cloned());
        let links = model.topology.links.iter();
        let parent = links.map(|link| link.parent.map_or(0, |parent| parent.index() + 1));
        Drawn { scene, parents: std::iter::once(0).chain(parent).collect() }
    }
}

impl Deref for Drawn {
    type Target = Scene;

    fn deref(&self) -> &Scene {
        &self.scene
    }
}
