//! What answers tell about calls that are not one's own.

use std::time::Duration;

use super::book::{Book, Pause};
use super::lane::Lane;
use super::signs::{Signs, TooMany};
use super::slab::Key;

impl Book {
    /// Learns from the answer to a call of `lane` that was sent at `sent`.
    pub(super) fn learn(&mut self, lane: Key, sent: Duration, now: Duration, signs: Signs) {
        if let Some(too_many) = signs.too_many {
            self.back_off(lane, now, too_many);
        }
        if let Some(remaining) = signs.remaining {
            self.note_remaining(lane, sent, now, usize::try_from(remaining).unwrap_or(usize::MAX));
        }
    }

    /// Nothing of the operation goes for one window, or for as long as was asked for: the exchange has counted more
    /// than is known here. Nothing else goes either when it may have counted everything together.
    ///
    /// What an answer may ask for is bounded, and for calls that cancel it is one window: whatever an answer says, orders
    /// can be cancelled.
    fn back_off(&mut self, lane: Key, now: Duration, too_many: TooMany) {
        let longest = self.longest_span(self.own_windows(lane));
        let asked_for = too_many.retry_after.unwrap_or_default().min(self.settings.longest_pause);
        let until = now.saturating_add(longest.max(asked_for));
        let pause = Pause { until, cancels_until: now.saturating_add(longest) };
        let asked_for = if self.lanes.get(lane).is_some_and(Lane::cancels) { Duration::ZERO } else { asked_for };
        for key in self.own_windows(lane).to_owned() {
            if let Some(counter) = self.windows.get_mut(key) {
                counter.window.block(now.saturating_add(counter.window.span().max(asked_for)));
            }
        }
        if too_many.of_everything {
            self.shut(lane, pause);
        }
    }

    /// Nothing goes from the address of `lane` for a while.
    fn shut(&mut self, lane: Key, pause: Pause) {
        let Some(address) = self.lanes.get(lane).map(|lane| lane.address.clone()) else { return };
        self.lanes.iter_mut().filter(|lane| lane.address == address).for_each(|lane| lane.shut(pause));
        let known = self.shut.entry(address).or_insert(pause);
        known.until = known.until.max(pause.until);
        known.cancels_until = known.cancels_until.max(pause.cancels_until);
    }

    /// Where fewer calls are left than by one's own count, someone else calls too. When they did is not known; the
    /// latest it can have been is now. Where the count agrees there is nothing to learn: the own log says better than a
    /// number when room comes.
    ///
    /// The exchange counted at `sent` or later, when no fewer of one's own calls had expired, and those that have not
    /// ended it may have counted. So a caller who is alone never takes a call of its own for another's.
    fn note_remaining(&mut self, lane: Key, sent: Duration, now: Duration, remaining: usize) {
        // The header does not say which limit it speaks of: it must be the tightest.
        let left = |key: &Key| Some((self.windows.get(*key)?.window.left(sent), *key));
        let Some((left, key)) = self.own_windows(lane).iter().filter_map(left).min() else { return };
        let Some(counter) = self.windows.get_mut(key) else { return };
        if remaining == 0 && left > 0 {
            counter.window.block(now.saturating_add(counter.window.span()));
        } else {
            (remaining..left).for_each(|_| counter.window.count(now));
        }
    }
}
