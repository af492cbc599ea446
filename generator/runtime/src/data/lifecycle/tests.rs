//! A lifecycle of four states, and records of things that go through it.

mod monitor;
mod streams;

use super::{HasState, Lifecycle, Next, Possible, State, StateRow, Transition};
use crate::data::value::{Timestamp, enum_from_wire};

crate::open_enum! {
    /// New, then filled in parts, until it is done or gone.
    pub(super) enum Phase {
        New = "new",
        Partly = "partly",
        Done = "done",
        Gone = "gone",
    }
}

const LIFECYCLE: Lifecycle = {
    use Possible::{No, Unspecified, Yes};
    Lifecycle {
        states: &[
            row("new", false, [Yes, Yes], &[Yes, Unspecified, Unspecified, Yes]),
            row("partly", false, [Yes, Unspecified], &[No, Yes, Unspecified, Yes]),
            row("done", true, [No, No], &[No, No, Yes, No]),
            row("gone", true, [No, No], &[No, No, No, Yes]),
        ],
        transitions: &[Transition {
            from: &["new", "partly"],
            triggers: &["cancel"],
            next: Next::State("gone"),
            condition: "",
            doc: "",
        }],
    }
};

const fn row(
    value: &'static str,
    is_terminal: bool,
    [can_cancel, can_modify]: [Possible; 2],
    becomes: &'static [Possible],
) -> StateRow {
    StateRow { value, doc: "", is_terminal, can_cancel, can_modify, becomes }
}

impl State for Phase {
    const LIFECYCLE: &'static Lifecycle = &LIFECYCLE;
}

/// A record; whatever is `None` or empty was left out.
#[derive(Clone, Debug)]
pub(super) struct Record {
    id: &'static str,
    client_id: &'static str,
    phase: Option<Phase>,
    at: Option<u64>,
}

impl HasState for Record {
    type State = Phase;

    fn id(&self) -> Option<&str> {
        (!self.id.is_empty()).then_some(self.id)
    }

    fn client_id(&self) -> Option<&str> {
        (!self.client_id.is_empty()).then_some(self.client_id)
    }

    fn state(&self) -> Option<&Phase> {
        self.phase.as_ref()
    }

    fn at(&self) -> Option<Timestamp> {
        self.at.map(Timestamp::from_millis)
    }
}

/// A record without a time.
pub(super) fn record(id: &'static str, client_id: &'static str, phase: Phase) -> Record {
    Record { id, client_id, phase: Some(phase), at: None }
}

/// A record of the order `1`.
pub(super) fn at(at: u64, phase: Phase) -> Record {
    Record { at: Some(at), ..record("1", "", phase) }
}

pub(super) fn undocumented() -> Phase {
    enum_from_wire("asleep")
}

#[test]
fn a_table_answers_for_documented_states_and_leaves_the_rest_open() {
    assert!(Phase::Done.is_terminal() && !Phase::New.is_terminal() && !undocumented().is_terminal());
    assert_eq!((Phase::New.can_cancel(), Phase::New.can_modify()), (Possible::Yes, Possible::Yes));
    assert_eq!((Phase::Done.can_cancel(), Phase::Partly.can_modify()), (Possible::No, Possible::Unspecified));
    assert_eq!(
        (undocumented().can_cancel(), undocumented().can_modify()),
        (Possible::Unspecified, Possible::Unspecified)
    );
    assert_eq!(Phase::Partly.can_become(&Phase::New), Possible::No);
    assert_eq!(Phase::New.can_become(&Phase::Partly), Possible::Unspecified);
    assert_eq!(Phase::Done.can_become(&undocumented()), Possible::Unspecified);
    assert_eq!(undocumented().can_become(&Phase::New), Possible::Unspecified);
    assert_eq!(undocumented().can_become(&undocumented()), Possible::Yes);
}
