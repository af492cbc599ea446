//! The operations of a campaign with their documented limits.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

/// A family of operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    /// Futures of a classic account.
    Classic,
    /// The unified account.
    Unified,
}

/// The action of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// Places an order.
    Place,
    /// Amends an order; the classic family replaces it by another.
    Amend,
    /// Cancels an order.
    Cancel,
    /// Sets something of the account.
    Set,
    /// Queries one order.
    Detail,
    /// Lists orders.
    List(Listed),
}

/// Which orders are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Listed {
    /// Open orders.
    Open,
    /// Filled and cancelled orders.
    Closed,
}

/// An operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Operation {
    /// The last part of its path.
    pub name: &'static str,
    /// The family.
    pub family: Family,
    /// A description of the effect.
    pub action: Action,
    /// True if it is a batch.
    pub is_batch: bool,
    /// The number of calls allowed to a user within any second.
    pub per_second: usize,
    method: &'static str,
    path: &'static str,
}

macro_rules! operations {
    ($($method:literal $path:literal $name:literal: $family:ident $action:expr, $is_batch:literal, $per_second:literal;)*) => {
        /// All operations of a campaign.
        pub(crate) const OPERATIONS: &[Operation] = &[$(Operation {
            name: $name,
            family: Family::$family,
            action: $action,
            is_batch: $is_batch,
            per_second: $per_second,
            method: $method,
            path: concat!($path, $name),
        }),*];
    };
}

operations! {
    "POST" "/api/v2/mix/order/" "place-order": Classic Action::Place, false, 10;
    "POST" "/api/v2/mix/order/" "click-backhand": Classic Action::Place, false, 10;
    "POST" "/api/v2/mix/order/" "batch-place-order": Classic Action::Place, true, 5;
    "POST" "/api/v2/mix/order/" "modify-order": Classic Action::Amend, false, 10;
    "POST" "/api/v2/mix/order/" "cancel-order": Classic Action::Cancel, false, 10;
    "POST" "/api/v2/mix/order/" "batch-cancel-orders": Classic Action::Cancel, true, 10;
    "POST" "/api/v2/mix/account/" "set-leverage": Classic Action::Set, false, 5;
    "GET" "/api/v2/mix/order/" "detail": Classic Action::Detail, false, 10;
    "GET" "/api/v2/mix/order/" "orders-pending": Classic Action::List(Listed::Open), false, 10;
    "GET" "/api/v2/mix/order/" "orders-history": Classic Action::List(Listed::Closed), false, 10;
    "POST" "/api/v3/trade/" "place-order": Unified Action::Place, false, 10;
    "POST" "/api/v3/trade/" "place-batch": Unified Action::Place, true, 5;
    "POST" "/api/v3/trade/" "modify-order": Unified Action::Amend, false, 10;
    "POST" "/api/v3/trade/" "batch-modify-order": Unified Action::Amend, true, 10;
    "POST" "/api/v3/trade/" "cancel-order": Unified Action::Cancel, false, 10;
    "POST" "/api/v3/trade/" "cancel-batch": Unified Action::Cancel, true, 5;
    "GET" "/api/v3/trade/" "order-info": Unified Action::Detail, false, 20;
    "GET" "/api/v3/trade/" "unfilled-orders": Unified Action::List(Listed::Open), false, 20;
    "GET" "/api/v3/trade/" "history-orders": Unified Action::List(Listed::Closed), false, 20;
}

/// The operations by their paths.
static BY_PATH: LazyLock<FxHashMap<&str, Vec<&Operation>>> = LazyLock::new(|| {
    let mut by_path = FxHashMap::<_, Vec<_>>::default();
    for operation in OPERATIONS {
        by_path.entry(operation.path).or_default().push(operation);
    }
    by_path
});

impl Operation {
    /// Returns the operation with this method and path.
    pub(crate) fn find(method: &str, path: &str) -> Option<&'static Self> {
        BY_PATH.get(path)?.iter().find(|operation| operation.method == method).copied()
    }

    /// Returns whether it is a query.
    pub(crate) fn reads(&self) -> bool {
        matches!(self.action, Action::Detail | Action::List(_))
    }
}
