//! Learns from responses about calls of others.
//!
//! Reports in answers only take room away. Calls of others are logged as calls of now or, if the exchange states when
//! all is free, as calls that leave then. A fleet passes it on five times a second at most, because a later answer
//! repeats it.

use std::time::Duration;

use super::bucket::{Bucket, Taken};
use super::bucket::{Key, Pause};
use super::limiter::{RateLimitFeedback, TooMany};
use super::state::{Counter, LimiterState};
use crate::network::wire::PoolReport;

impl LimiterState {
    /// Learns from the answer to a call of `bucket` that was sent at `sent`.
    pub(super) fn learn(&mut self, bucket: Key, sent: Duration, now: Duration, feedback: RateLimitFeedback) {
        if let Some(too_many) = feedback.too_many {
            self.back_off(bucket, now, too_many);
        }
        if feedback.remaining.is_some() {
            self.note_remaining(bucket, sent, now, &feedback);
        }
        for report in feedback.pools.iter().flatten() {
            self.note_pool(bucket, sent, now, report);
        }
    }

    /// Admits no call of the operation for one window, or for the requested time: the exchange has counted more calls
    /// than are known here. If it may have counted all operations together, no other call is admitted either.
    ///
    /// The response does not show which window is full, so a window that is longer than the longest pause is closed for
    /// that pause, or for the shortest window of the operation. The requested time is bounded, too, and does not count
    /// for cancellations: no response prevents orders from being cancelled.
    fn back_off(&mut self, bucket: Key, now: Duration, too_many: TooMany) {
        let own = self.own_windows(bucket).to_owned();
        let (mut shortest, mut longest) = (Duration::MAX, Duration::ZERO);
        for taken in &own {
            if let Some(counter) = self.windows.get(taken.window) {
                let span = counter.window.span();
                (shortest, longest) = (shortest.min(span), longest.max(span));
            }
        }
        // The shortest is longer than the longest only if there is none.
        let most = self.settings.longest_pause.max(shortest.min(longest));
        let longest = longest.min(most);
        let requested = too_many.retry_after.unwrap_or_default().min(self.settings.longest_pause);
        let until = now.saturating_add(longest.max(requested));
        let pause = Pause { until, cancels_until: now.saturating_add(longest) };
        let requested = if self.buckets.get(bucket).is_some_and(Bucket::cancels) { Duration::ZERO } else { requested };
        for taken in own {
            if let Some(counter) = self.windows.get_mut(taken.window) {
                counter.window.block(now.saturating_add(counter.window.span().min(most).max(requested)));
            }
        }
        if too_many.of_everything {
            self.shut(bucket, pause);
        }
    }

    /// Admits no call from the address of `bucket` until the end of `pause`.
    fn shut(&mut self, bucket: Key, pause: Pause) {
        let Some(address) = self.buckets.get(bucket).map(|bucket| bucket.address.clone()) else { return };
        self.buckets.values_mut().filter(|bucket| bucket.address == address).for_each(|bucket| bucket.shut(pause));
        match self.shut.iter_mut().find(|(known, _)| *known == address) {
            None => self.shut.push((address, pause)),
            Some((_, known)) => {
                known.until = known.until.max(pause.until);
                known.cancels_until = known.cancels_until.max(pause.cancels_until);
            }
        }
    }

    /// If fewer calls remain than by the local count, others make calls too. The time of these calls is not known; at
    /// the latest it is now. If the count agrees, there is nothing to learn: the local log knows better when there is
    /// room.
    ///
    /// The exchange counted at `sent` or later, when at least as many local calls had expired, and it may have counted
    /// those that have not ended. So a caller that is alone never mistakes its own calls for another's.
    fn note_remaining(&mut self, bucket: Key, sent: Duration, now: Duration, feedback: &RateLimitFeedback) {
        let Some(remaining) = feedback.remaining else { return };
        let remaining = usize::try_from(remaining).unwrap_or(usize::MAX);
        // The header counts the calls of windows with certain lengths. It does not name its limit, which must be the
        // tightest of these.
        let is_counted = |all: &&Counter| feedback.remaining_windows.contains(&all.binding.limit.per_millis);
        let counted = |key: Key| self.windows.get(key).filter(is_counted);
        let left = |taken: &Taken| Some((counted(taken.window)?.window.left(sent), taken.window));
        let Some((left, key)) = self.own_windows(bucket).iter().filter_map(left).min() else { return };
        let Some(counter) = self.windows.get_mut(key) else { return };
        if remaining == 0 && left > 0 {
            counter.window.block(now.saturating_add(counter.window.span()));
        } else {
            counter.window.count(left.saturating_sub(remaining), now);
        }
    }
    /// The same for a pool. What others took of it is free again at the latest when the exchange frees all of it.
    fn note_pool(&mut self, bucket: Key, sent: Duration, now: Duration, report: &PoolReport) {
        let is_of = |taken: &&Taken| {
            self.windows.get(taken.window).is_some_and(|counter| counter.binding.limit.pool == Some(report.pool))
        };
        let Some(key) = self.own_windows(bucket).iter().find(is_of).map(|taken| taken.window) else { return };
        let Some(Counter { window, .. }) = self.windows.get_mut(key) else { return };
        let stays = report.reset.map_or(window.span(), |reset| reset.min(window.span()));
        let remaining = usize::try_from(report.remaining).unwrap_or(usize::MAX);
        window.count_until(window.left(sent).saturating_sub(remaining), now.saturating_add(stays));
    }
}
