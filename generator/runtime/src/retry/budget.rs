use std::sync::atomic::{AtomicU32, Ordering};

/// How many repeats all calls together may make, so that an exchange in trouble is not troubled more.
///
/// A call that succeeds at once gives back a part of what a repeat takes.
#[derive(Debug)]
pub struct RetryBudget {
    /// In tenths of a repeat.
    left: AtomicU32,
    most: u32,
}

/// What a repeat takes.
const REPEAT: u32 = 10;

impl RetryBudget {
    /// As many repeats at once, and one more for every ten calls that succeed.
    pub const fn new(repeats: u32) -> Self {
        let most = repeats.saturating_mul(REPEAT);
        Self { left: AtomicU32::new(most), most }
    }

    /// How many repeats are left.
    pub fn left(&self) -> u32 {
        self.left.load(Ordering::Relaxed) / REPEAT
    }

    /// Takes one repeat, if there is one.
    pub(super) fn take(&self) -> bool {
        let take = |left: u32| left.checked_sub(REPEAT);
        self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_ok()
    }

    pub(super) fn succeeded(&self) {
        let add = |left: u32| (left < self.most).then_some(left + 1);
        // Full is as good.
        let _ = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add);
    }
}

#[cfg(test)]
mod tests {
    use super::RetryBudget;

    #[test]
    fn ten_successes_buy_a_repeat() {
        let budget = RetryBudget::new(2);
        assert_eq!([budget.take(), budget.take(), budget.take()], [true, true, false]);
        (0..9).for_each(|_| budget.succeeded());
        assert!(!budget.take());
        budget.succeeded();
        assert!(budget.take() && !budget.take());
        (0..100).for_each(|_| budget.succeeded());
        assert_eq!(budget.left(), 2);
    }
}
