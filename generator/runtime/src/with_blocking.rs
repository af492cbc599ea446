//! The macro exists in both forms, so that emitted code need not know whether the feature is on.

/// Keeps the items it is given if the feature `blocking` is on.
#[cfg(feature = "blocking")]
#[macro_export]
macro_rules! with_blocking {
    ($($item:item)*) => { $($item)* };
}

/// Keeps the items it is given if the feature `blocking` is on; it is off.
#[cfg(not(feature = "blocking"))]
#[macro_export]
macro_rules! with_blocking {
    ($($item:item)*) => {};
}
