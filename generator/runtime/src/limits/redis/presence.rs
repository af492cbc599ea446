use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Whether this process is a member of the fleet, and what the server may take it for.
pub(super) struct Presence {
    validity: Duration,
    state: Mutex<State>,
}

struct State {
    is_alone: bool,
    /// Until when the server may take the process for a member.
    known_until: Instant,
    /// Until when the server surely takes the process for a member, unless it forgets.
    heard_until: Instant,
    /// Since when the server does not answer.
    failing_since: Option<Instant>,
}

impl Presence {
    /// As of a process that may have run until now, and have told the server so.
    pub(super) fn new(validity: Duration) -> Self {
        let until = Instant::now() + validity;
        let state = State { is_alone: false, known_until: until, heard_until: until, failing_since: None };
        Self { validity, state: Mutex::new(state) }
    }

    /// Until when a question tells the server that the process is there. `None` when it must not, for it is alone.
    pub(super) fn tell(&self) -> Option<Instant> {
        let mut state = self.state();
        (!state.is_alone).then(|| self.tell_in(&mut state))
    }

    /// The same, of a process that is alone and about to return.
    pub(super) fn tell_again(&self) -> Instant {
        self.tell_in(&mut self.state())
    }

    fn tell_in(&self, state: &mut State) -> Instant {
        state.known_until = state.known_until.max(Instant::now() + self.validity);
        state.known_until
    }

    /// The server answered what it was told `until` then.
    pub(super) fn answered(&self, until: Instant) {
        let mut state = self.state();
        state.heard_until = state.heard_until.max(until);
        state.failing_since = None;
    }

    /// The server knows again that the process is there, and what it sent when it was alone.
    pub(super) fn returned(&self, until: Instant) {
        self.answered(until);
        self.state().is_alone = false;
    }

    /// The server does not answer. When that is a loss: how long it may take the process for a member yet.
    pub(super) fn lose(&self) -> Option<Duration> {
        let mut state = self.state();
        let now = Instant::now();
        let failing_for = now - *state.failing_since.get_or_insert(now);
        // It is asked more than once.
        if state.is_alone || now < state.heard_until || failing_for < self.validity / 2 {
            return None;
        }
        state.is_alone = true;
        Some(state.known_until.saturating_duration_since(now))
    }

    /// How long the server may take the process for a member yet.
    pub(super) fn known_for(&self) -> Duration {
        self.state().known_until.saturating_duration_since(Instant::now())
    }

    /// Whether it is time to tell the server again that the process is there.
    pub(super) fn is_due(&self) -> bool {
        let state = self.state();
        !state.is_alone && state.heard_until <= Instant::now() + self.validity * 3 / 4
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_told_is_waited_for() {
        let presence = Presence::new(Duration::from_secs(3600));
        assert_eq!(presence.lose(), None);
        let presence = Presence::new(Duration::ZERO);
        assert!(presence.tell().is_some());
        assert_eq!(presence.lose(), Some(Duration::ZERO));
        assert!(presence.tell().is_none() && presence.lose().is_none());
        let until = presence.tell_again();
        presence.answered(until);
        assert_eq!(presence.tell(), None);
        presence.returned(until);
        assert!(presence.tell().is_some());
    }
}
