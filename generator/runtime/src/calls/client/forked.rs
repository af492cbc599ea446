//! Refuses calls in a process that was forked after the client was created.

use std::cell::Cell;
use std::process;

use crate::data::error::LimiterErrorKind;
use crate::network::limits::Unavailable;

thread_local! {
    /// True if the client that this thread polls belongs to the parent process.
    static IS_FORKED: Cell<bool> = const { Cell::new(false) };
}

/// Runs `act` while calls are refused on this thread.
pub(crate) fn refusing_calls<T>(act: impl FnOnce() -> T) -> T {
    struct Reset(bool);
    impl Drop for Reset {
        fn drop(&mut self) {
            IS_FORKED.set(self.0);
        }
    }
    let _reset = Reset(IS_FORKED.replace(true));
    act()
}

/// Refuses a call in a child.
pub(super) fn refuse_in_child() -> Result<(), Unavailable> {
    if !IS_FORKED.get() {
        return Ok(());
    }
    let why = format!(
        "its connections and limits do not belong to process {}; create the client after the fork",
        process::id()
    );
    Err(Unavailable::new(LimiterErrorKind::Forked, why))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_refused_only_while_a_child_waits() {
        assert!(refuse_in_child().is_ok());
        refusing_calls(|| {
            assert_eq!(refuse_in_child().map_err(|refused| refused.kind), Err(LimiterErrorKind::Forked));
            refusing_calls(|| ());
            assert!(refuse_in_child().is_err());
        });
        assert!(refuse_in_child().is_ok());
    }
}
