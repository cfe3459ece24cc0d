//! Why there can be no plan.

/// Why there can be no plan.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ControlError {
    /// There are no knots, or knots without steps.
    #[error("the horizon has no steps: give it at least one knot of at least one time step")]
    NoHorizon,
    /// The time step is not positive.
    #[error("the time step must be positive and finite, not {0} s")]
    TimeStep(f64),
    /// The start is of another model.
    #[error("the start belongs to another model")]
    OtherStart,
    /// The simulated robot is of another kind than the model of the plan.
    #[error("the plant has other joints, links or actuators than the model of the plan")]
    OtherPlant,
    /// A push is impossible.
    #[error("push {index}: {why}")]
    Push {
        /// Its index.
        index: usize,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The time for which a robot should move is impossible.
    #[error("a robot moves for a finite time that is not negative, not for {0} s")]
    Seconds(f64),
    /// The start is not finite.
    #[error("a number of the start is not finite")]
    StartNotFinite,
    /// Nothing can act.
    #[error("nothing can be chosen: name at least one joint, actuator or parameter")]
    NoActions,
    /// An action refers to a joint or actuator that does not exist.
    #[error("action {0} refers to a joint or actuator that the model does not have")]
    UnknownAction(usize),
    /// An action is listed twice, or chosen and held.
    #[error("{0} is listed twice")]
    ActionTwice(
        /// Its name.
        String,
    ),
    /// The value of an input that is held is not finite.
    #[error("the value that {0} keeps is not finite")]
    HeldNotFinite(
        /// Its name.
        String,
    ),
    /// The bounds of an action are crossed or not numbers.
    #[error("the bounds of {action} are crossed: lower {lower}, upper {upper}")]
    Bounds {
        /// Its name.
        action: String,
        /// Its lower bound.
        lower: f64,
        /// Its upper bound.
        upper: f64,
    },
    /// The bounds of an action are wider than the range in which it acts.
    #[error(
        "the bounds {lower} and {upper} of {action} are wider than its range from {least} to {most}, beyond which it changes nothing"
    )]
    BeyondRange {
        /// Its name.
        action: String,
        /// Its lower bound.
        lower: f64,
        /// Its upper bound.
        upper: f64,
        /// The lower end of its range.
        least: f64,
        /// The upper end of its range.
        most: f64,
    },
    /// There are no costs.
    #[error("there are no costs, so every plan is as good as any other")]
    NoCosts,
    /// A cost is impossible.
    #[error("cost \"{cost}\": {why}")]
    Cost {
        /// Its name.
        cost: String,
        /// What is wrong with it.
        why: String,
    },
    /// The number of actions to begin with is wrong.
    #[error("{given} numbers were given as actions to begin with; the horizon has {needed}")]
    ActionCount {
        /// How many were given.
        given: usize,
        /// How many are needed.
        needed: usize,
    },
    /// The number of bounds of actions or parameters is wrong.
    #[error("{given} bounds were given where {needed} are needed")]
    BoundCount {
        /// How many were given.
        given: usize,
        /// How many are needed.
        needed: usize,
    },
    /// A search is resumed from the state of a search with other actions.
    #[error("the search had curvatures of {given} actions, and the problem has {needed} actions")]
    CurvatureCount {
        /// How many the state has.
        given: usize,
        /// How many are needed.
        needed: usize,
    },
    /// The actions to begin with are not finite.
    #[error("an action to begin with is not finite")]
    ActionsNotFinite,
    /// The motion under the first actions diverges.
    #[error(
        "under the first actions link \"{link}\" diverges in knot {knot}, after {seconds} s: begin with other actions"
    )]
    FirstMotion {
        /// The knot, from 0.
        knot: usize,
        /// When the knot begins, from the start [s].
        seconds: f64,
        /// The link.
        link: String,
    },
    /// The cost of the first actions is not finite.
    #[error(
        "under the first actions the cost is not finite in knot {knot}, after {seconds} s: begin with other actions"
    )]
    FirstCost {
        /// The knot, from 0.
        knot: usize,
        /// When the knot begins, from the start [s].
        seconds: f64,
    },
    /// An option of the search is out of range.
    #[error("{option} = {value} is out of range: {hint}")]
    Option {
        /// Its name.
        option: &'static str,
        /// Its value.
        value: f64,
        /// What it must be.
        hint: &'static str,
    },
}
