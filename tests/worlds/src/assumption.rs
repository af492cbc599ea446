//! What the client assumes, each as a move that no world makes unless it is asked for.

/// An assumption of the client. A world in which it does not hold has one more move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assumption {
    /// A node lags by no more than the settling time.
    Lag,
    /// An order that exists is not denied twice in a row.
    Denials,
    /// A request that was accepted takes effect within the settling time.
    UnderWay,
    /// Nobody repeats a request on its way.
    Repeats,
    /// An answer without an id belongs to its request.
    Answers,
    /// An id is used once, also by other programs of the account.
    OneId,
    /// A journal is opened for the account that it was made for.
    Journal,
    /// The clock of this machine and that of the answers are not wrong together.
    Clocks,
}

impl Assumption {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Lag,
        Self::Denials,
        Self::UnderWay,
        Self::Repeats,
        Self::Answers,
        Self::OneId,
        Self::Journal,
        Self::Clocks,
    ];

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Lag => "lag",
            Self::Denials => "denials",
            Self::UnderWay => "under-way",
            Self::Repeats => "repeats",
            Self::Answers => "answers",
            Self::OneId => "one-id",
            Self::Journal => "journal",
            Self::Clocks => "clocks",
        }
    }

    /// The assumption with a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.name() == name)
    }
}
