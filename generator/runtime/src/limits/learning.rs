//! What answers tell about calls that are not one's own.

use std::time::Duration;

use super::book::Book;
use super::signs::{Signs, TooMany};
use super::slab::Key;

impl Book {
    /// Learns from the answer to a call of `lane` that was counted at `made`.
    pub(super) fn learn(&mut self, lane: Key, made: Duration, now: Duration, signs: Signs) {
        if let Some(too_many) = signs.too_many {
            self.back_off(lane, now, too_many);
        }
        if let Some(remaining) = signs.remaining {
            self.note_remaining(lane, made, now, usize::try_from(remaining).unwrap_or(usize::MAX));
        }
    }

    /// Nothing of the operation goes for one window, or for as long as was asked for: the exchange has counted more
    /// than is known here. Nothing else goes either when it may have counted everything together.
    fn back_off(&mut self, lane: Key, now: Duration, too_many: TooMany) {
        let TooMany { of_everything, retry_after } = too_many;
        let asked_for = retry_after.unwrap_or_default();
        let mut longest = asked_for;
        for key in self.own_windows(lane).to_owned() {
            if let Some(counter) = self.windows.get_mut(key) {
                let pause = counter.window.span().max(asked_for);
                counter.window.block(now + pause);
                longest = longest.max(pause);
            }
        }
        if of_everything {
            self.shut(lane, now + longest);
        }
    }

    /// Nothing goes from the address of `lane` before `until`.
    fn shut(&mut self, lane: Key, until: Duration) {
        let Some(address) = self.lanes.get(lane).map(|lane| lane.address.clone()) else { return };
        for lane in self.lanes.iter_mut().filter(|lane| lane.address == address) {
            lane.shut_until = lane.shut_until.max(until);
        }
        self.shut.retain(|(other, earlier)| *other != address || *earlier > until);
        self.shut.push((address, until));
    }

    /// Where fewer calls are left than by one's own count, someone else calls too. When they did is not known; the
    /// latest it can have been is now. Where the count agrees there is nothing to learn: the own log says better than a
    /// number when room comes.
    fn note_remaining(&mut self, lane: Key, made: Duration, now: Duration, remaining: usize) {
        // The header does not say which limit it speaks of: it must be the tightest.
        let left = |key: &Key| Some((self.windows.get(*key)?.window.left(made), *key));
        let Some((left, key)) = self.own_windows(lane).iter().filter_map(left).min() else { return };
        let Some(counter) = self.windows.get_mut(key) else { return };
        if remaining == 0 && left > 0 {
            counter.window.block(now + counter.window.span());
        } else {
            (remaining..left).for_each(|_| counter.window.log(now));
        }
    }
}
