/// Whether something can happen, as far as the documents tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Possible {
    /// The documents show it, perhaps under a condition that they tell.
    Yes,
    /// The documents rule it out.
    No,
    /// The documents neither show it nor rule it out.
    NotShown,
}

/// The states that something goes through, and what leads from one to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lifecycle {
    /// The states, in the order of the enum's values.
    pub states: &'static [StateRow],
    /// Every change of state that the documents show.
    pub transitions: &'static [Transition],
}

/// A state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateRow {
    /// Its text on the wire.
    pub value: &'static str,
    /// What it means.
    pub doc: &'static str,
    /// Whether nothing follows it.
    pub is_terminal: bool,
    /// Whether an operation can cancel what is in it.
    pub can_cancel: Possible,
    /// Whether an operation can amend what is in it.
    pub can_modify: Possible,
    /// Whether it can become each of the states, at once or by way of others; itself included.
    pub becomes: &'static [Possible],
}

/// A change of state that the documents show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transition {
    /// The states that it starts from.
    pub from: &'static [&'static str],
    /// What sets it off: names of operations, or words for what is none.
    pub triggers: &'static [&'static str],
    /// What follows.
    pub next: Next,
    /// When it happens.
    pub condition: &'static str,
    /// What more there is to know.
    pub doc: &'static str,
}

/// What follows a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Another state.
    State(&'static str),
    /// The same state; something else changed.
    Unchanged,
    /// The same state; the change was rejected.
    Rejected,
}
