//! The machines behind the one address of an exchange.

use crate::dice::Dice;

/// One machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Node {
    /// By how many milliseconds the clock that it judges signatures by is ahead.
    pub judges: i64,
    /// By how many milliseconds the time that it tells is ahead.
    pub tells: i64,
    /// How many milliseconds old what it shows of orders is.
    pub lag: u64,
}

/// Machines, each with how many of all requests it gets.
pub type Nodes = &'static [(Node, u64)];

const RIGHT: Node = Node { judges: 0, tells: 0, lag: 0 };

/// One machine that is always right.
pub const ONE: Nodes = &[(RIGHT, 1)];

/// Some show orders late.
pub const LAGGING: Nodes = &[(RIGHT, 2), (Node { lag: 2_500, ..RIGHT }, 1), (Node { lag: 7_500, ..RIGHT }, 1)];

/// Some tell another time than the one that signatures are judged by.
pub const TELLING_OTHERWISE: Nodes = &[
    (RIGHT, 4),
    (Node { tells: 45_000, ..RIGHT }, 1),
    (Node { tells: 3_600_000, ..RIGHT }, 1),
    (Node { tells: -20_000, ..RIGHT }, 1),
];

/// Some judge signatures by another clock, which they tell.
pub const JUDGING_OTHERWISE: Nodes = &[
    (RIGHT, 10),
    (Node { judges: 20_000, tells: 20_000, ..RIGHT }, 3),
    (Node { judges: -20_000, tells: -20_000, ..RIGHT }, 3),
    (Node { judges: 3_600_000, tells: 3_600_000, ..RIGHT }, 1),
];

/// The machine that gets a request.
pub(crate) fn throw(nodes: Nodes, dice: &mut Dice) -> Node {
    dice.weighted(nodes)
}

impl Node {
    /// Whether its clocks are right and it shows orders at once.
    pub(crate) fn is_right(self) -> bool {
        self == RIGHT
    }
}
