use std::collections::VecDeque;
use std::time::Duration;

/// An exact sliding window: the moments of the latest calls, and how many are about to be made.
#[derive(Clone, Debug)]
pub(super) struct Window {
    most: usize,
    span: Duration,
    /// The latest `most` calls at most, in order: earlier ones cannot matter any more.
    made: VecDeque<Duration>,
    /// Calls that were let go and have not gone out: they take room, but from when on is not known yet.
    held: usize,
    blocked_until: Duration,
}

impl Window {
    /// At most `most` calls in any `span`.
    pub(super) fn new(most: u32, span: Duration) -> Self {
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        Self { most, span, made: VecDeque::new(), held: 0, blocked_until: Duration::ZERO }
    }

    pub(super) fn span(&self) -> Duration {
        self.span
    }

    #[cfg(feature = "redis")]
    pub(super) fn most(&self) -> usize {
        self.most
    }

    /// Whether there never is room.
    pub(super) fn is_none(&self) -> bool {
        self.most == 0
    }

    /// Whether a new one would do as well.
    pub(super) fn is_idle(&self, now: Duration) -> bool {
        let expired = self.made.back().is_none_or(|latest| *latest + self.span <= now);
        self.held == 0 && expired && self.blocked_until <= now
    }

    /// From when on there is room for one more call, if nothing happens until then. `None` when only calls that are
    /// about to be made stand in the way.
    #[inline]
    pub(super) fn free_at(&self) -> Option<Duration> {
        let free = self.most.checked_sub(self.held).filter(|free| *free > 0)?;
        // With the held ones, the call that is in the way is the `free`-th latest.
        let expires = match self.made.len().checked_sub(free) {
            Some(index) => self.made[index] + self.span,
            None => Duration::ZERO,
        };
        Some(expires.max(self.blocked_until))
    }

    /// Whether there is room for one more call: [`free_at`](Self::free_at) without the arithmetic.
    #[inline]
    pub(super) fn is_free(&self, now: Duration) -> bool {
        let taken = self.made.len() + self.held;
        let has_room = taken < self.most
            || self.held < self.most && self.made.get(taken - self.most).is_none_or(|made| *made + self.span <= now);
        has_room && self.blocked_until <= now
    }

    /// Lets a call go.
    #[inline]
    pub(super) fn hold(&mut self) {
        self.held += 1;
    }

    /// A call that was let go is not made.
    pub(super) fn release(&mut self) {
        self.held = self.held.saturating_sub(1);
    }

    /// A call that was let go is made.
    #[inline]
    pub(super) fn make(&mut self, now: Duration) {
        self.release();
        self.log(now);
    }

    /// All calls that were let go are made.
    pub(super) fn make_all(&mut self, now: Duration) {
        while self.held > 0 {
            self.make(now);
        }
    }

    /// Logs a call that nobody asked for.
    #[inline]
    pub(super) fn log(&mut self, now: Duration) {
        if self.made.len() >= self.most {
            self.made.pop_front();
        }
        // Clocks of a caller's own may go back; the log must not.
        let latest = self.made.back().copied().unwrap_or_default();
        self.made.push_back(now.max(latest));
    }

    /// Lets nothing go before `until`.
    pub(super) fn block(&mut self, until: Duration) {
        self.blocked_until = self.blocked_until.max(until);
    }

    /// How many more calls someone knows of who counts, at `moment` or later, the calls of one span before it.
    pub(super) fn left(&self, moment: Duration) -> usize {
        let expired = self.made.partition_point(|made| *made + self.span <= moment);
        self.most.saturating_sub(self.made.len() - expired + self.held)
    }
}
