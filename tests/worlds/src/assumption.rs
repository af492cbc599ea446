//! The assumptions of the client, each as a move that no world makes unless it is asked for.

/// An assumption of the client: a row of the table in `generated/guide/unknown-outcomes.md`. A world in which it does
/// not hold has one more move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assumption {
    /// The exchange carries out an accepted request within the settling time.
    Settling,
    /// A machine that answers lags by no more than it may.
    Lag,
    /// The clocks of this machine and of answers are not wrong together by more than they may.
    ClockError,
    /// An order that exists is not denied twice in a row.
    Denials,
    /// The exchange refuses a request whose timestamp is too old.
    Window,
    /// The exchange shows a record for as long as it says.
    Kept,
    /// Nothing on the way sends a copy of a request sooner after it than it may.
    Repeats,
    /// The exchange refuses the id of an order that has ended.
    Duplicates,
    /// A code means what it says.
    Codes,
    /// An id is used once, by all programs of the account.
    Ids,
    /// An answer without an id belongs to its request.
    Answers,
    /// A journal is used for one account.
    Journal,
    /// A record from outside is of this account.
    Records,
    /// A journal that has lost changes reports a gap.
    Gaps,
    /// Nothing but the client gave an order the values of an amendment a moment before.
    Amendments,
}

impl Assumption {
    /// All of them.
    pub const ALL: [Self; 15] = [
        Self::Settling,
        Self::Lag,
        Self::ClockError,
        Self::Denials,
        Self::Window,
        Self::Kept,
        Self::Repeats,
        Self::Duplicates,
        Self::Codes,
        Self::Ids,
        Self::Answers,
        Self::Journal,
        Self::Records,
        Self::Gaps,
        Self::Amendments,
    ];

    /// Returns the name in the table of the guide.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Settling => "settling",
            Self::Lag => "lag",
            Self::ClockError => "clock error",
            Self::Denials => "denials",
            Self::Window => "window",
            Self::Kept => "kept",
            Self::Repeats => "repeats",
            Self::Duplicates => "duplicates",
            Self::Codes => "codes",
            Self::Ids => "ids",
            Self::Answers => "answers",
            Self::Journal => "journal",
            Self::Records => "records",
            Self::Gaps => "gaps",
            Self::Amendments => "amendments",
        }
    }

    /// Returns the assumption with a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.name() == name)
    }
}
