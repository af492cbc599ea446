//! The operations that the exchange knows, and how often each may be called, from the documents.

/// A family of operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    /// Futures of a classic account.
    Classic,
    /// The unified account.
    Unified,
}

/// What an operation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Deed {
    /// Makes an order.
    Place,
    /// Changes an order; in the classic family it is replaced by another.
    Amend,
    /// Cancels an order.
    Cancel,
    /// Reads one order.
    Detail,
    /// Lists the orders that are open, or those that have ended.
    List(Listed),
}

/// Which orders are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Listed {
    /// Those that are open.
    Open,
    /// Those that are filled or cancelled.
    Closed,
}

/// An operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Operation {
    /// The last part of its path.
    pub name: &'static str,
    /// Its family.
    pub family: Family,
    /// What it does.
    pub deed: Deed,
    /// Whether it does so to several things.
    pub several: bool,
    /// How many calls one user may make in any second.
    pub per_second: usize,
    method: &'static str,
    path: &'static str,
}

macro_rules! operations {
    ($($method:literal $path:literal $name:literal: $family:ident $deed:expr, $several:literal, $per_second:literal;)*) => {
        /// All of them.
        pub(crate) const OPERATIONS: &[Operation] = &[$(Operation {
            name: $name,
            family: Family::$family,
            deed: $deed,
            several: $several,
            per_second: $per_second,
            method: $method,
            path: concat!($path, $name),
        }),*];
    };
}

operations! {
    "POST" "/api/v2/mix/order/" "place-order": Classic Deed::Place, false, 10;
    "POST" "/api/v2/mix/order/" "click-backhand": Classic Deed::Place, false, 10;
    "POST" "/api/v2/mix/order/" "batch-place-order": Classic Deed::Place, true, 5;
    "POST" "/api/v2/mix/order/" "modify-order": Classic Deed::Amend, false, 10;
    "POST" "/api/v2/mix/order/" "cancel-order": Classic Deed::Cancel, false, 10;
    "POST" "/api/v2/mix/order/" "batch-cancel-orders": Classic Deed::Cancel, true, 10;
    "GET" "/api/v2/mix/order/" "detail": Classic Deed::Detail, false, 10;
    "GET" "/api/v2/mix/order/" "orders-pending": Classic Deed::List(Listed::Open), false, 10;
    "GET" "/api/v2/mix/order/" "orders-history": Classic Deed::List(Listed::Closed), false, 10;
    "POST" "/api/v3/trade/" "place-order": Unified Deed::Place, false, 10;
    "POST" "/api/v3/trade/" "place-batch": Unified Deed::Place, true, 5;
    "POST" "/api/v3/trade/" "modify-order": Unified Deed::Amend, false, 10;
    "POST" "/api/v3/trade/" "batch-modify-order": Unified Deed::Amend, true, 10;
    "POST" "/api/v3/trade/" "cancel-order": Unified Deed::Cancel, false, 10;
    "POST" "/api/v3/trade/" "cancel-batch": Unified Deed::Cancel, true, 5;
    "GET" "/api/v3/trade/" "order-info": Unified Deed::Detail, false, 20;
    "GET" "/api/v3/trade/" "unfilled-orders": Unified Deed::List(Listed::Open), false, 20;
    "GET" "/api/v3/trade/" "history-orders": Unified Deed::List(Listed::Closed), false, 20;
}

impl Operation {
    /// The operation that is called so.
    pub(crate) fn find(method: &str, path: &str) -> Option<&'static Self> {
        OPERATIONS.iter().find(|operation| (operation.method, operation.path) == (method, path))
    }

    /// Whether it only reads.
    pub(crate) fn reads(&self) -> bool {
        matches!(self.deed, Deed::Detail | Deed::List(_))
    }
}
