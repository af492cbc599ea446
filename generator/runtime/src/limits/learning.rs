//! What answers tell about calls that are not one's own.

use std::time::Duration;

use super::book::Book;
use super::limiter::Signs;

impl Book {
    /// Learns from the answer to a call of `lane` that was counted at `made`.
    pub(super) fn learn(&mut self, lane: usize, made: Duration, now: Duration, signs: Signs) {
        if signs.too_many {
            self.back_off(lane, now);
        }
        if let Some(remaining) = signs.remaining {
            self.note_remaining(lane, made, now, usize::try_from(remaining).unwrap_or(usize::MAX));
        }
    }

    /// Nothing of the operation goes for one window: the exchange has counted more than is known here.
    fn back_off(&mut self, lane: usize, now: Duration) {
        for index in self.own_windows(lane).to_owned() {
            let window = self.window_at_mut(index);
            window.block(now + window.span());
        }
    }

    /// Where fewer calls are left than by one's own count, someone else calls too. When they did is not known; the
    /// latest it can have been is now. Where the count agrees there is nothing to learn: the own log says better than a
    /// number when room comes.
    fn note_remaining(&mut self, lane: usize, made: Duration, now: Duration, remaining: usize) {
        // The header does not say which limit it speaks of: it must be the tightest.
        let left = |index: &usize| (self.window_at(*index).left(made), *index);
        let Some((left, index)) = self.own_windows(lane).iter().map(left).min() else { return };
        let window = self.window_at_mut(index);
        if remaining == 0 && left > 0 {
            window.block(now + window.span());
        } else {
            (remaining..left).for_each(|_| window.log(now));
        }
    }
}
