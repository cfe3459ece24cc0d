//! What can be wrong with a blueprint.

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
    #[error("augmentation \"{augmentation}\": no site \"{name}\"{}", hint_text(.hint))]
    Unknown {
        /// Which augmentation.
        augmentation: String,
        /// What was asked for.
        name: String,
        /// The nearest name.
        hint: Option<String>,
    },
    /// A pattern that stands for nothing.
    #[error(
        "augmentation \"{augmentation}\": \"{pattern}\" matches no site of this model{}", hint_text(.hint)
    )]
    NoMatch {
        /// Which augmentation.
        augmentation: String,
        /// The pattern.
        pattern: String,
        /// The nearest pattern that matches something.
        hint: Option<String>,
    },
    /// Two augmentations of one name.
    #[error("two augmentations are called \"{0}\"; weights are kept by that name")]
    Repeated(String),
    /// Nothing to change.
    #[error("augmentation \"{0}\" has no outputs")]
    NoOutputs(String),
    /// Nothing to read.
    #[error("augmentation \"{0}\" has no inputs")]
    NoInputs(String),
    /// What cannot be changed.
    #[error("augmentation \"{augmentation}\": \"{site}\" can be read but not changed")]
    NotChangeable {
        /// Which augmentation.
        augmentation: String,
        /// Which site.
        site: String,
    },
    /// Forces that a solver finds.
    #[error(
        "augmentation \"{augmentation}\": the force \"{site}\" is found by the solver of rigid contacts; change its \
         friction_coefficient or restitution, or make the contact compliant (hunt-crossley)"
    )]
    Solved {
        /// Which augmentation.
        augmentation: String,
        /// Which site.
        site: String,
    },
    /// Outputs that are not known at one time.
    #[error(
        "augmentation \"{augmentation}\" changes \"{first}\" ({first_stage}) and \"{second}\" ({second_stage}), which \
         are known at different times; give each an augmentation of its own"
    )]
    Apart {
        /// Which augmentation.
        augmentation: String,
        /// One output.
        first: String,
        /// When it is known.
        first_stage: Stage,
        /// Another.
        second: String,
        /// When that is known.
        second_stage: Stage,
    },
    /// Outputs at contacts of different shapes.
    #[error(
        "augmentation \"{augmentation}\" changes \"{first}\" and \"{second}\", which are of different contacts; give \
         each an augmentation of its own, or write contact/*/… for all"
    )]
    ApartContacts {
        /// Which augmentation.
        augmentation: String,
        /// One output.
        first: String,
        /// Another.
        second: String,
    },
    /// An input that is known only after the output is used.
    #[error(
        "augmentation \"{augmentation}\": \"{input}\" ({input_stage}) is known only after \"{output}\" ({output_stage}) \
         is used; the order in a step is {}; write {{ site = \"{input}\", previous = true }} to take its value \
         of the step before",
        order()
    )]
    Later {
        /// Which augmentation.
        augmentation: String,
        /// What it reads.
        input: String,
        /// When that is known.
        input_stage: Stage,
        /// What it changes.
        output: String,
        /// When that is used.
        output_stage: Stage,
    },
    /// Augmentations that wait for each other.
    #[error(
        "these augmentations each read what another of them changes: {}; let one of them take the value of the step \
         before (previous = true)", .0.join(" → ")
    )]
    Cycle(
        /// Their names.
        Vec<String>,
    ),
    /// What a contact's network cannot remember.
    #[error(
        "augmentation \"{0}\" stands at contacts, which come and go: it cannot have a history, a previous value or a \
         recurrent network of its own"
    )]
    ContactMemory(String),
    /// A contact read at another contact's.
    #[error(
        "augmentation \"{augmentation}\" stands at \"{output}\" and reads \"{input}\": at contacts, only quantities of the \
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
    /// A kind that these outputs, inputs or this mode do not fit.
    #[error("augmentation \"{augmentation}\": {why}")]
    Kind {
        /// Which augmentation.
        augmentation: String,
        /// What does not fit.
        why: String,
    },
    /// A network that cannot be.
    #[error("augmentation \"{augmentation}\": {source}")]
    Network {
        /// Which augmentation.
        augmentation: String,
        /// Why.
        source: NetworkError,
    },
    /// A network that does not fit its kind.
    #[error("augmentation \"{augmentation}\": {source}")]
    Head {
        /// Which augmentation.
        augmentation: String,
        /// Why.
        source: HeadError,
    },
    /// A number that makes no sense.
    #[error("augmentation \"{augmentation}\": {what} is {value}; it must be {needed}")]
    Number {
        /// Which augmentation.
        augmentation: String,
        /// Which number.
        what: String,
        /// What it is.
        value: f64,
        /// What it must be.
        needed: &'static str,
    },
    /// Weights that are not as many as there should be.
    #[error("{given} weights for a blueprint that has {needed}")]
    WeightCount {
        /// How many were given.
        given: usize,
        /// How many are needed.
        needed: usize,
    },
    /// A file of weights that cannot be read or written.
    #[error(transparent)]
    Weights(#[from] WeightsError),
    /// Weights of another blueprint.
    #[error(
        "{path} has weights of another blueprint{}; bind the one it has (Blueprint::from_weights)",
        .augmentation.as_ref().map_or(String::new(), |name| format!(" (see \"{name}\")"))
    )]
    OtherBlueprint {
        /// Which file.
        path: String,
        /// The first augmentation that differs.
        augmentation: Option<String>,
    },
    /// A name that a signal cannot have.
    #[error("signal \"{name}\" {why}")]
    Signal {
        /// The name.
        name: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// A file of weights without a blueprint.
    #[error("{0} has weights but no blueprint among its metadata")]
    NoBlueprint(String),
}

fn hint_text(hint: &Option<String>) -> String {
    hint.as_ref().map_or(String::new(), |hint| format!("; did you mean \"{hint}\"?"))
}

fn order() -> String {
    Stage::ALL.map(|stage| stage.to_string()).join(" → ")
}
