//! The rate of an address, and its refusal for a while, as the answers to all clients of a process show it.
//!
//! The exchange counts all calls of an address together, so the clients of a process keep the rate together, also those
//! that share no limiter: each call first has room in its own limits, and then in that rate.
//!
//! The exchange refuses an address whatever its keys are, so the clients of a process share this, also those that share
//! no limiter. It is apart from windows: these have room meanwhile, and say nothing about it.
//!
//! A status that only such a refusal has shows it by itself. Status 429 has other reasons, too, so the documented time
//! would be lost for one call too many of a single limit. A refused address refuses everything: so of status 429, answers
//! without an envelope show it that come [three times in a row](IN_A_ROW), each to a call that was sent after the one
//! before, and at least a second apart. Any other answer shows that the address is not refused, or no longer.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use super::call::Call;
use super::in_process::InProcessLimits;
use super::limiter::{Admission, Limiter as _, RateLimitFeedback};
use super::settings::LimitSettings;
use crate::data::clock::Timer;
use crate::data::tables::{Effect, Meta, RateLimit, RefusedAddress};

/// A call, as the rate of an address counts it.
static CALL: Meta = Meta { id: "call", ..Meta::DEFAULT };

/// A cancellation, which is admitted before other calls.
static CANCELLATION: Meta = Meta { id: "cancellation", effect: Effect::Cancel, ..Meta::DEFAULT };

/// The rate of all calls of an address, which the clients of a process keep together.
#[derive(Debug, Default)]
pub(crate) struct AddressRate(OnceLock<(RateLimit, InProcessLimits)>);

impl AddressRate {
    /// Keeps `rate` by this clock, unless a client has set another one before.
    pub(crate) fn keep(&self, rate: &RateLimit, timer: Arc<dyn Timer>) {
        self.0.get_or_init(|| {
            // Answers say nothing about the rate of an address: what is left is that of the operation.
            let settings = LimitSettings::new().learns(false).overall_limit(*rate);
            (*rate, InProcessLimits::with_shared_timer(settings, timer))
        });
    }

    /// Returns the rate, if there is one.
    pub(crate) fn rate(&self) -> Option<&RateLimit> {
        self.0.get().map(|(rate, _)| rate)
    }

    /// Returns the limiter, if there is a rate.
    pub(crate) fn limiter(&self) -> Option<&InProcessLimits> {
        self.0.get().map(|(_, limiter)| limiter)
    }

    /// Admits a call with this effect, if there is a rate.
    pub(crate) fn admit(&self, effect: Effect, wait: bool) -> Option<(&InProcessLimits, Admission<'_>)> {
        let limiter = self.limiter()?;
        Some((limiter, limiter.admit(call_of(effect), wait)))
    }
}

/// Returns a call with this effect, as the rate of an address counts it.
pub(crate) fn call_of(effect: Effect) -> Call<'static> {
    Call::new(if effect == Effect::Cancel { &CANCELLATION } else { &CALL })
}

/// The number of doubtful answers in a row that show a refusal.
const IN_A_ROW: u32 = 3;

/// The least time between two of them.
const APART: Duration = Duration::from_secs(1);

/// The longest pause of cancellations: no answer takes away the ability to cancel for longer. One that is answered
/// shows the end of a refusal to all.
const CANCELS: Duration = Duration::from_secs(60);

/// The refusals of an address.
#[derive(Debug, Default)]
pub(crate) struct AddressRefusals {
    /// The number of the latest refusal; 0 if there is none, or an answer after it shows that the address is not refused.
    latest: AtomicU32,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The number of refusals so far.
    count: u32,
    in_a_row: u32,
    /// When the latest came.
    at: Duration,
    /// Until when the address is refused.
    until: Duration,
}

impl AddressRefusals {
    /// Returns for how long calls with this effect should still not be sent.
    pub(crate) fn left(&self, effect: Effect, timer: &dyn Timer) -> Option<Duration> {
        if self.latest() == 0 {
            return None;
        }
        let (state, now) = (self.lock(), timer.now());
        let until =
            if effect == Effect::Cancel { state.until.min(state.at.saturating_add(CANCELS)) } else { state.until };
        Some(until.saturating_sub(now)).filter(|left| !left.is_zero())
    }

    fn latest(&self) -> u32 {
        self.latest.load(Ordering::Relaxed)
    }

    /// Notes the answer to a call that was sent when the latest refusal had the number `before`. Returns how long the
    /// address is refused, if the answer shows it.
    fn note(
        &self,
        &Watch { refused, timer, before, .. }: &Watch<'_>,
        feedback: &RateLimitFeedback,
    ) -> Option<Duration> {
        let too_many = feedback.too_many.filter(|too_many| too_many.of_everything);
        let Some(too_many) = too_many else {
            if before != 0 {
                self.is_answered(before);
            }
            return None;
        };
        let (mut state, now, lasts) = (self.lock(), timer.now(), refused.lasts());
        let follows = before == self.latest() && now >= state.at.saturating_add(APART);
        let is_first = self.latest() == 0 || now >= state.at.max(state.until).saturating_add(lasts);
        state.in_a_row = match (too_many.refused_for, is_first, follows) {
            (Some(_), ..) => IN_A_ROW,
            (None, true, _) => 1,
            (None, false, true) => state.in_a_row.saturating_add(1),
            (None, false, false) => return None,
        };
        state.count = state.count.wrapping_add(1).max(1);
        state.at = now;
        self.latest.store(state.count, Ordering::Relaxed);
        if state.in_a_row < IN_A_ROW {
            return None;
        }
        state.until = now.saturating_add(lasts);
        Some(lasts)
    }

    /// Notes that a call was answered which was sent after the refusal with this number.
    fn is_answered(&self, refusal: u32) {
        let mut state = self.lock();
        if refusal == self.latest() {
            *state = State { count: state.count, ..State::default() };
            self.latest.store(0, Ordering::Relaxed);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A call whose answer is watched for a refusal of the address.
#[derive(Clone, Copy)]
pub(crate) struct Watch<'a> {
    refusals: &'a AddressRefusals,
    refused: &'static RefusedAddress,
    timer: &'a dyn Timer,
    before: u32,
}

impl<'a> Watch<'a> {
    pub(crate) fn new(refusals: &'a AddressRefusals, refused: &'static RefusedAddress, timer: &'a dyn Timer) -> Self {
        Self { refusals, refused, timer, before: 0 }
    }

    /// Notes that the call is sent now.
    pub(super) fn sent(&mut self) {
        self.before = self.refusals.latest();
    }

    /// Returns the feedback of the answer, with the refusal of the address that it shows together with those before.
    pub(super) fn answered(&self, mut feedback: RateLimitFeedback) -> RateLimitFeedback {
        let refused_for = self.refusals.note(self, &feedback);
        if let Some(too_many) = &mut feedback.too_many {
            too_many.refused_for = refused_for;
        }
        feedback
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::clock::ManualTimer;
    use crate::network::limits::TooMany;

    const LASTS: Duration = Duration::from_secs(300);
    static REFUSED: RefusedAddress = RefusedAddress { status: 429, lasts_ms: 300_000, rate: None };

    const BARE: TooMany = TooMany { of_everything: true, retry_after: None, refused_for: None };

    fn bare() -> RateLimitFeedback {
        answer(Some(BARE))
    }

    fn answer(too_many: Option<TooMany>) -> RateLimitFeedback {
        RateLimitFeedback::new(too_many, None)
    }

    struct Clients {
        refusals: AddressRefusals,
        timer: ManualTimer,
    }

    impl Clients {
        fn new() -> Self {
            Self { refusals: AddressRefusals::default(), timer: ManualTimer::new() }
        }

        fn send(&self) -> Watch<'_> {
            let mut watch = Watch::new(&self.refusals, &REFUSED, &self.timer);
            watch.sent();
            watch
        }

        /// Makes a call that takes `time`, and returns the refusal that its answer shows.
        fn call(&self, time: Duration, feedback: RateLimitFeedback) -> Option<Duration> {
            let watch = self.send();
            self.timer.advance(time);
            watch.answered(feedback).too_many.and_then(|too_many| too_many.refused_for)
        }

        fn left(&self, effect: Effect) -> Option<Duration> {
            self.refusals.left(effect, &self.timer)
        }

        fn refuse(&self) {
            for _ in 0..IN_A_ROW {
                self.call(APART, bare());
            }
            assert_eq!(self.left(Effect::Create), Some(LASTS));
        }
    }

    #[test]
    fn three_in_a_row_show_a_refusal_and_fewer_do_not() {
        let clients = Clients::new();
        assert_eq!([clients.call(APART, bare()), clients.call(APART, bare())], [None, None]);
        assert_eq!(clients.left(Effect::Create), None);
        assert_eq!(clients.call(APART, bare()), Some(LASTS));
        assert_eq!([Effect::Read, Effect::Create, Effect::Close].map(|effect| clients.left(effect)), [Some(LASTS); 3]);
        clients.timer.advance(LASTS);
        assert_eq!(clients.left(Effect::Create), None);
    }

    /// Calls that were under way together are refused together, whatever the reason.
    #[test]
    fn calls_that_were_sent_before_or_at_once_count_once() {
        let clients = Clients::new();
        let watches: Vec<_> = (0..20).map(|_| clients.send()).collect();
        clients.timer.advance(APART);
        for watch in &watches {
            clients.timer.advance(APART);
            assert_eq!(watch.answered(bare()).too_many.and_then(|too_many| too_many.refused_for), None);
        }
        (0..20).for_each(|_| assert_eq!(clients.call(Duration::from_millis(40), bare()), None));
        assert_eq!(clients.left(Effect::Create), None);
    }

    #[test]
    fn another_answer_in_between_begins_anew() {
        let coded = answer(Some(TooMany { of_everything: false, ..BARE }));
        for other in [answer(None), coded] {
            let clients = Clients::new();
            (0..2).for_each(|_| _ = clients.call(APART, bare()));
            clients.call(APART, other);
            (0..2).for_each(|_| assert_eq!(clients.call(APART, bare()), None));
            assert_eq!(clients.call(APART, bare()), Some(LASTS));
        }
    }

    /// An answer to a call that was sent before says nothing about the time since.
    #[test]
    fn an_earlier_call_ends_no_refusal() {
        let clients = Clients::new();
        let earlier = clients.send();
        clients.refuse();
        earlier.answered(answer(None));
        assert_eq!(clients.left(Effect::Create), Some(LASTS));
    }

    #[test]
    fn cancellations_wait_for_a_minute_and_an_answered_one_ends_the_refusal() {
        let clients = Clients::new();
        clients.refuse();
        assert_eq!(clients.left(Effect::Cancel), Some(CANCELS));
        clients.timer.advance(CANCELS);
        assert_eq!((clients.left(Effect::Cancel), clients.left(Effect::Create)), (None, Some(LASTS - CANCELS)));
        assert_eq!(clients.call(Duration::ZERO, bare()), Some(LASTS));
        assert_eq!((clients.left(Effect::Cancel), clients.left(Effect::Create)), (Some(CANCELS), Some(LASTS)));
        clients.timer.advance(CANCELS);
        clients.call(Duration::ZERO, answer(None));
        assert_eq!(clients.left(Effect::Create), None);
    }

    /// A refusal that outlasts its time is known from one more answer.
    #[test]
    fn after_its_end_one_answer_shows_that_it_goes_on() {
        let clients = Clients::new();
        clients.refuse();
        clients.timer.advance(LASTS);
        assert_eq!(clients.call(APART, bare()), Some(LASTS));
    }

    #[test]
    fn what_was_long_ago_does_not_count() {
        let clients = Clients::new();
        (0..2).for_each(|_| _ = clients.call(APART, bare()));
        clients.timer.advance(LASTS);
        assert_eq!(clients.call(APART, bare()), None);
    }

    #[test]
    fn a_status_that_only_a_refusal_has_shows_it_by_itself() {
        let clients = Clients::new();
        let refused = TooMany { refused_for: Some(LASTS), ..BARE };
        assert_eq!(clients.call(APART, answer(Some(refused))), Some(LASTS));
    }
}
