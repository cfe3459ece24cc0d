//! Errors of blueprints.

use gradbody_math::names;
use gradbody_neural::{HeadError, NetworkError, WeightsError};

use crate::Stage;

/// Why a blueprint cannot be bound to a model.
#[derive(Debug, thiserror::Error)]
pub enum BlueprintError {
    /// Not TOML, or not a blueprint.
    #[error("not a blueprint: {0}")]
    Toml(String),
    /// Not JSON, or not a blueprint.
    #[error("not a blueprint: {0}")]
    Json(String),
    /// A name that no site of the model has.
    #[error("augmentation \"{augmentation}\": no site \"{name}\"{}", names::hint(.hint.as_deref()))]
    Unknown {
        /// Which augmentation.
        augmentation: String,
        /// The requested name.
        name: String,
        /// The most similar name.
        hint: Option<String>,
    },
    /// A pattern that matches no site.
    #[error(
        "augmentation \"{augmentation}\": \"{pattern}\" matches no site of this model{}", names::hint(.hint.as_deref())
    )]
    NoMatch {
        /// Which augmentation.
        augmentation: String,
        /// The pattern.
        pattern: String,
        /// The most similar pattern that matches something.
        hint: Option<String>,
    },
    /// Two augmentations have the same name.
    #[error("two augmentations are named \"{0}\"; weights are stored by that name")]
    Repeated(String),
    /// An augmentation changes nothing.
    #[error("augmentation \"{0}\" has no outputs")]
    NoOutputs(String),
    /// An augmentation reads nothing.
    #[error("augmentation \"{0}\" has no inputs")]
    NoInputs(String),
    /// A site cannot be changed.
    #[error("augmentation \"{augmentation}\": \"{site}\" can be read but not changed")]
    NotChangeable {
        /// Which augmentation.
        augmentation: String,
        /// Which site.
        site: String,
    },
    /// A force that a solver computes is scaled or replaced.
    #[error(
        "augmentation \"{augmentation}\": the force \"{site}\" is found by the solver of rigid contacts, so a network \
         can only add to it: write mode = \"add\", or change the contact's friction_coefficient or restitution"
    )]
    Solved {
        /// Which augmentation.
        augmentation: String,
        /// Which site.
        site: String,
    },
    /// Outputs are not known at the same stage.
    #[error(
        "augmentation \"{augmentation}\" changes \"{first}\" ({first_stage}) and \"{second}\" ({second_stage}), which \
         are known at different times; give each its own augmentation"
    )]
    Apart {
        /// Which augmentation.
        augmentation: String,
        /// One output.
        first: String,
        /// The stage at which it is known.
        first_stage: Stage,
        /// Another output.
        second: String,
        /// The stage at which that is known.
        second_stage: Stage,
    },
    /// Outputs belong to contacts of different shapes.
    #[error(
        "augmentation \"{augmentation}\" changes \"{first}\" and \"{second}\", which are of different contacts; give \
         each its own augmentation, or write contact/*/… for all"
    )]
    ApartContacts {
        /// Which augmentation.
        augmentation: String,
        /// One output.
        first: String,
        /// Another output.
        second: String,
    },
    /// An input is known only after the output is used.
    #[error(
        "augmentation \"{augmentation}\": \"{input}\" ({input_stage}) is known only after \"{output}\" ({output_stage}) \
         is used; the order in a step is {}; write {{ site = \"{input}\", previous = true }} to use its value \
         of the step before",
        order()
    )]
    Later {
        /// Which augmentation.
        augmentation: String,
        /// What it reads.
        input: String,
        /// The stage at which that is known.
        input_stage: Stage,
        /// What it changes.
        output: String,
        /// The stage at which that is used.
        output_stage: Stage,
    },
    /// Augmentations wait for each other.
    #[error(
        "these augmentations each read what another of them changes: {}; let one of them use the value of the step \
         before (previous = true)", .0.join(" → ")
    )]
    Cycle(
        /// Their names.
        Vec<String>,
    ),
    /// A network at contacts cannot have a memory.
    #[error(
        "augmentation \"{0}\" is at contacts, which come and go: it cannot have a history, a previous value or a \
         recurrent network"
    )]
    ContactMemory(String),
    /// A network at a contact reads another contact.
    #[error(
        "augmentation \"{augmentation}\" changes \"{output}\" and reads \"{input}\": at contacts, only quantities of the \
         same contact, of links, joints and the model can be read"
    )]
    OtherContact {
        /// Which augmentation.
        augmentation: String,
        /// What it changes.
        output: String,
        /// What it reads.
        input: String,
    },
    /// The kind does not fit these outputs, inputs or mode.
    #[error("augmentation \"{augmentation}\": {why}")]
    Kind {
        /// Which augmentation.
        augmentation: String,
        /// What does not fit.
        why: String,
    },
    /// The network cannot be built.
    #[error("augmentation \"{augmentation}\": {source}")]
    Network {
        /// Which augmentation.
        augmentation: String,
        /// The reason.
        source: NetworkError,
    },
    /// The network does not fit its kind.
    #[error("augmentation \"{augmentation}\": {source}")]
    Head {
        /// Which augmentation.
        augmentation: String,
        /// The reason.
        source: HeadError,
    },
    /// A number is out of range.
    #[error("augmentation \"{augmentation}\": {what} is {value}; it must be {needed}")]
    Number {
        /// Which augmentation.
        augmentation: String,
        /// Which number.
        what: String,
        /// Its value.
        value: f64,
        /// The requirement.
        needed: &'static str,
    },
    /// The number of weights is wrong.
    #[error("{given} weights for a blueprint that needs {needed}")]
    WeightCount {
        /// Number of weights given.
        given: usize,
        /// Number of weights needed.
        needed: usize,
    },
    /// A weight file cannot be read or written.
    #[error(transparent)]
    Weights(#[from] WeightsError),
    /// The weights belong to a different blueprint.
    #[error(
        "{path} has weights of a different blueprint{}; bind the file's own (Blueprint::from_weights)",
        .augmentation.as_ref().map_or(String::new(), |name| format!(" (see \"{name}\")"))
    )]
    OtherBlueprint {
        /// Which file.
        path: String,
        /// The first augmentation that differs.
        augmentation: Option<String>,
    },
    /// A signal has an invalid name.
    #[error("signal \"{name}\" {why}")]
    Signal {
        /// The name.
        name: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// A weight file without a blueprint.
    #[error("{0} has weights but no blueprint in its metadata")]
    NoBlueprint(String),
}

fn order() -> String {
    Stage::ALL.map(|stage| stage.to_string()).join(" → ")
}
