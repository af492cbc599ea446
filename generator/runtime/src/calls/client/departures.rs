//! The changes of an account that wait to be sent, that are under way, and that got no answer.
//!
//! Whatever its operation, a change that was sent and not answered may still arrive: a cancellation of all orders takes
//! those that were placed after it was sent. So each change is noted from the moment at which its call begins, at the
//! price of a lock. While the account is made flat, its other clients place and amend nothing: what waits for a rate
//! limit then would otherwise be sent after the account is flat.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use slotmap::{DefaultKey, SlotMap};
use tradeapi_words::Assumptions;

use super::core::ClientCore;
use super::recent::REMEMBERED;
use crate::data::clock::Moment;
use crate::data::error::{Error, Unsigned};
use crate::data::parameters::Named;
use crate::data::sorting::sort_by;
use crate::data::tables::{Effect, Meta, Outcome};
use crate::data::value::Timestamp;
use crate::state::journal::ChangeNumber;

/// The maximum number of unanswered changes to remember. Older ones are over before these are.
const MAX_UNANSWERED: usize = 1 << 10;

/// A change of this client that may still have an effect, although its caller may believe that everything is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnderWay {
    /// The operation, such as `unified.place-order`.
    pub operation: &'static str,
    /// When it left, by the clock of this machine; `None` if it waits for a rate limit and may be sent.
    pub left: Option<Timestamp>,
    /// Until when it may be carried out, by the clock of this machine, if its signature expires. It takes as long as the
    /// signature is accepted, the clocks of both sides may be off by a minute, and the exchange may take ten seconds.
    pub until: Option<Timestamp>,
}

impl UnderWay {
    /// Creates a change that waits for a rate limit.
    pub(crate) fn waiting(operation: &'static str) -> Self {
        Self { operation, left: None, until: None }
    }
}

impl fmt::Display for UnderWay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.left, self.until) {
            (None, _) => write!(f, "{} waits for a rate limit and may be sent", self.operation),
            (Some(left), None) => write!(f, "{}, sent at {left}, got no answer and may arrive", self.operation),
            (Some(left), Some(until)) => {
                write!(f, "{}, sent at {left}, got no answer and may arrive until {until}", self.operation)
            }
        }
    }
}

/// A change that left and may be carried out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Departure {
    pub(crate) operation: &'static str,
    pub(crate) at: Moment,
    /// The number in the journal, if it has one.
    pub(crate) change: Option<ChangeNumber>,
}

/// The changes that may still have an effect.
#[derive(Debug, Default)]
pub(crate) struct Outstanding {
    /// The operations that wait for a rate limit.
    pub(crate) waiting: Vec<&'static str>,
    /// The changes without an answer, the earliest first.
    pub(crate) unanswered: Vec<Departure>,
    /// When the last change was answered that was done and may have left an order or a position.
    pub(crate) last_added: Option<Moment>,
}

/// The changes of the clients of an account.
#[derive(Debug, Default)]
pub(super) struct Departures(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    calls: SlotMap<DefaultKey, Call>,
    /// The changes whose call has ended without an answer.
    unanswered: VecDeque<Departure>,
    last_added: Option<Moment>,
    /// The number of calls that are making the account flat.
    doors: usize,
}

/// A change whose call has not ended.
#[derive(Clone, Copy, Debug)]
struct Call {
    operation: &'static str,
    /// True if it may be sent while the account is made flat.
    passes: bool,
    /// True if it may leave an order or a position that was not there.
    adds: bool,
    change: Option<ChangeNumber>,
    stage: Stage,
}

#[derive(Clone, Copy, Debug)]
enum Stage {
    Waiting,
    /// The change began to wait before the account was made flat, and is not sent.
    Refused,
    Left(Moment),
}

/// A change from the beginning of its call to its end.
#[derive(Debug)]
pub(crate) struct Ticket<'a> {
    departures: &'a Departures,
    key: DefaultKey,
}

/// While it lives, other clients of the account place and amend nothing.
#[derive(Debug)]
pub(crate) struct Door(Arc<Departures>);

/// The notes of a client about the changes that it sends for one purpose, and what they may do.
#[derive(Debug, Default)]
pub(super) struct Purpose {
    /// True if they are sent while the account is made flat.
    pub(super) passes: bool,
    /// The notes about the call that this one is a part of.
    pub(super) whole: Option<Arc<Purpose>>,
    departed: Mutex<Option<(Timestamp, Moment)>>,
}

/// Shows whether a change has left, also to a caller that gave up its call:
/// [`ClientCore::noting`](crate::ClientCore::noting).
///
/// ```
/// use std::time::Duration;
/// use tradeapi_runtime::client::{Callable, Departed};
/// use tradeapi_runtime::{ClientCore, Error};
///
/// async fn within<O: Callable>(client: &ClientCore, order: &O, time: impl Future<Output = ()>) -> Option<O::Reply> {
///     let (client, departed) = client.noting();
///     let reply = first_of(client.call(order), time).await;
///     if reply.is_none() && departed.at().is_none() {
///         println!("it was not sent");
///     }
///     reply
/// }
/// # async fn first_of<T>(_: impl Future<Output = Result<T, Error>>, _: impl Future<Output = ()>) -> Option<T> { None }
/// # let _ = Duration::ZERO;
/// ```
#[derive(Clone, Debug)]
pub struct Departed(pub(super) Arc<Purpose>);

impl Purpose {
    pub(super) fn new(passes: bool, whole: Option<Arc<Self>>) -> Self {
        Self { passes, whole, ..Self::default() }
    }

    /// Notes that a change leaves, with the time in its signature.
    pub(super) fn leaves(&self, signed_at: Timestamp, now: Moment) {
        *lock(&self.departed) = Some((signed_at, now));
        if let Some(whole) = &self.whole {
            whole.leaves(signed_at, now);
        }
    }
}

impl Departed {
    /// Returns the time in the signature of the last change that left; `None` if none did.
    pub fn at(&self) -> Option<Timestamp> {
        self.moment().map(|(signed_at, _)| signed_at)
    }

    pub(crate) fn moment(&self) -> Option<(Timestamp, Moment)> {
        *lock(&self.0.departed)
    }
}

impl Departures {
    /// Begins a change; `None` if the account is made flat and the change has to wait for that.
    pub(super) fn begin(&self, meta: &Meta, passes: bool) -> Option<Ticket<'_>> {
        let adds = adds(meta.effect);
        let passes = passes || !adds;
        let mut state = lock(&self.0);
        if state.doors > 0 && !passes {
            return None;
        }
        let key = state.calls.insert(Call { operation: meta.id, passes, adds, change: None, stage: Stage::Waiting });
        Some(Ticket { departures: self, key })
    }

    /// Returns what may still have an effect.
    pub(super) fn outstanding(&self) -> Outstanding {
        lock(&self.0).outstanding()
    }

    /// Forgets the changes that left at a moment.
    pub(super) fn forget(&self, left: Moment) {
        lock(&self.0).unanswered.retain(|known| known.at != left);
    }

    /// Keeps what adds something from leaving until the door is dropped. What waits is refused.
    pub(super) fn close(self: &Arc<Self>) -> Door {
        let mut state = lock(&self.0);
        state.doors += 1;
        for call in state.calls.values_mut() {
            if matches!(call.stage, Stage::Waiting) && !call.passes {
                call.stage = Stage::Refused;
            }
        }
        drop(state);
        Door(Arc::clone(self))
    }

    /// Returns whether an unanswered change may still be carried out.
    pub(super) fn is_needed(&self, now: Moment) -> bool {
        lock(&self.0).unanswered.back().is_some_and(|last| now.steady_since(last.at) <= REMEMBERED)
    }
}

impl Ticket<'_> {
    /// Notes that the change leaves now. Returns whether it may.
    pub(super) fn leaves(&self, now: Moment) -> bool {
        let mut state = lock(&self.departures.0);
        match state.calls.get_mut(self.key) {
            Some(call) if !matches!(call.stage, Stage::Refused) => call.stage = Stage::Left(now),
            Some(_) | None => return false,
        }
        true
    }

    /// Returns whether the change may still leave.
    pub(super) fn may_leave(&self) -> bool {
        let state = lock(&self.departures.0);
        state.calls.get(self.key).is_some_and(|call| !matches!(call.stage, Stage::Refused))
    }

    /// Notes the number of the change in the journal.
    pub(super) fn is_change(&self, number: ChangeNumber) {
        if let Some(call) = lock(&self.departures.0).calls.get_mut(self.key) {
            call.change = Some(number);
        }
    }

    /// Notes how the change ended.
    pub(super) fn ended(&self, outcome: Outcome, now: Moment) {
        if outcome == Outcome::Unknown {
            return;
        }
        let mut state = lock(&self.departures.0);
        // A machine that lags shows what was cancelled and closed as it was, so that only what was added is missed.
        if state.calls.remove(self.key).is_some_and(|call| call.adds) && outcome == Outcome::Done {
            state.last_added = Some(now);
        }
    }
}

impl Drop for Ticket<'_> {
    fn drop(&mut self) {
        let mut state = lock(&self.departures.0);
        if let Some(Call { operation, change, stage: Stage::Left(at), .. }) = state.calls.remove(self.key) {
            state.keep(Departure { operation, at, change });
        }
    }
}

impl State {
    /// Remembers a change without an answer.
    fn keep(&mut self, left: Departure) {
        while self.unanswered.front().is_some_and(|oldest| left.at.steady_since(oldest.at) > REMEMBERED) {
            self.unanswered.pop_front();
        }
        if self.unanswered.len() >= MAX_UNANSWERED {
            self.unanswered.pop_front();
        }
        self.unanswered.push_back(left);
    }

    fn outstanding(&self) -> Outstanding {
        let (mut waiting, mut unanswered) = (Vec::new(), Vec::from(self.unanswered.clone()));
        for Call { operation, change, stage, .. } in self.calls.values() {
            match *stage {
                Stage::Waiting => waiting.push(*operation),
                Stage::Refused => {}
                Stage::Left(at) => unanswered.push(Departure { operation, at, change: *change }),
            }
        }
        sort_by(&mut unanswered, &|one: &Departure, other| one.at.steady.cmp(&other.at.steady));
        Outstanding { waiting, unanswered, last_added: self.last_added }
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        let mut state = lock(&self.0.0);
        state.doors = state.doors.saturating_sub(1);
    }
}

/// Returns whether requests with this effect may leave an order or a position that was not there.
fn adds(effect: Effect) -> bool {
    matches!(effect, Effect::Create | Effect::Amend)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl ClientCore {
    /// Returns the changes of this client, and of others in this process with the same key and address, that may still
    /// be carried out: those that wait for a rate limit, those that are under way, and those that got no answer.
    ///
    /// Changes of other processes are not known here; those of earlier runs are in the journal.
    pub fn under_way(&self) -> Vec<UnderWay> {
        let (now, outstanding) = (self.moment(), self.outstanding());
        let mut all = Vec::new();
        for operation in outstanding.waiting {
            all.push(UnderWay::waiting(operation));
        }
        for left in outstanding.unanswered {
            let shown = self.shown(left);
            let is_over = self.arrives_within(left.at).is_some_and(|longest| now.steady_since(left.at) > longest);
            if !is_over {
                all.push(shown);
            }
        }
        all
    }

    /// Returns a change that left, as users see it.
    pub(crate) fn shown(&self, Departure { operation, at, .. }: Departure) -> UnderWay {
        UnderWay { operation, left: Some(at.wall()), until: self.carried_out_until(at) }
    }

    /// Returns what may still have an effect.
    pub(crate) fn outstanding(&self) -> Outstanding {
        self.parts.departures.outstanding()
    }

    /// Returns how long after it left a change may be carried out; `None` if signatures do not expire.
    fn arrives_within(&self, left: Moment) -> Option<Duration> {
        self.carried_out_within(&Named::default(), left, self.assumptions())
    }

    /// Returns how long after it left a request with these parameters may be carried out; `None` if its signature does
    /// not expire.
    pub(crate) fn carried_out_within(
        &self,
        parameters: &Named,
        left: Moment,
        assumptions: &Assumptions,
    ) -> Option<Duration> {
        let window = self.signature_window(parameters)?;
        let uncertainty = self.signature_uncertainty(window, left.wall(), None);
        Some(assumptions.carried_out_after(window).saturating_add(uncertainty))
    }

    /// Returns the same until its effect is visible on every machine of the exchange.
    pub(crate) fn visible_within(
        &self,
        parameters: &Named,
        left: Moment,
        assumptions: &Assumptions,
    ) -> Option<Duration> {
        Some(self.carried_out_within(parameters, left, assumptions)?.saturating_add(assumptions.lag))
    }

    /// Notes that a change has arrived, and found nothing to do, although its code alone does not prove that.
    pub(crate) async fn has_arrived(&self, error: &Error) {
        let Error::Unknown(unknown) = error else { return };
        self.parts.departures.forget(unknown.sent.left);
        let change = unknown.change.map(ChangeNumber);
        self.close_attempts(change.as_slice()).await;
    }

    /// Keeps this client and others with its key from placing and amending, until the door is dropped. What waits for a
    /// rate limit is not sent. [`for_flattening`](Self::for_flattening) returns a client that is not kept from it.
    pub(crate) fn close_door(&self) -> Door {
        self.parts.departures.close()
    }

    /// Returns a client whose changes are sent while the account is made flat.
    pub(crate) fn for_flattening(&self) -> Self {
        self.with_purpose(Arc::new(Purpose::new(true, self.purpose.clone())))
    }

    /// Returns a client for one change, and what shows whether it has left. The client shares everything else with this
    /// one; a change that it sends has left by the notes of both.
    pub fn noting(&self) -> (Self, Departed) {
        let passes = self.purpose.as_ref().is_some_and(|purpose| purpose.passes);
        let purpose = Arc::new(Purpose::new(passes, self.purpose.clone()));
        (self.with_purpose(Arc::clone(&purpose)), Departed(purpose))
    }

    /// Returns until when a request may be carried out, by the clock of this machine as it is set now; `None` if its
    /// signature does not expire.
    pub(crate) fn carried_out_until(&self, left: Moment) -> Option<Timestamp> {
        let (now, longest) = (self.moment(), self.arrives_within(left)?);
        let passed = now.steady_since(left);
        Some(match longest.checked_sub(passed) {
            Some(rest) => now.wall() + rest,
            None => now.wall() - (passed - longest),
        })
    }

    /// Begins a change, or a pause before it is repeated. A read has no ticket.
    pub(crate) fn begin_change(&self, meta: &'static Meta) -> Result<Option<Ticket<'_>>, Error> {
        if meta.effect == Effect::Read {
            return Ok(None);
        }
        let passes = self.purpose.as_ref().is_some_and(|purpose| purpose.passes);
        let ticket = self.parts.departures.begin(meta, passes);
        ticket.map(Some).ok_or_else(|| refused_by_door(meta))
    }

    /// Refuses a change that began to wait before the account was made flat.
    pub(crate) fn may_leave(&self, ticket: Option<&Ticket<'_>>, meta: &'static Meta) -> Result<(), Error> {
        match ticket {
            Some(ticket) if !ticket.may_leave() => Err(refused_by_door(meta)),
            Some(_) | None => Ok(()),
        }
    }

    /// Notes that a change leaves now, unless it is not to be sent any more.
    pub(super) fn leave(
        &self,
        ticket: Option<&Ticket<'_>>,
        meta: &'static Meta,
        (signed_at, now): (Timestamp, Moment),
    ) -> Result<(), Error> {
        let Some(ticket) = ticket else { return Ok(()) };
        if !ticket.leaves(now) {
            return Err(refused_by_door(meta));
        }
        if let Some(purpose) = &self.purpose {
            purpose.leaves(signed_at, now);
        }
        Ok(())
    }
}

/// Returns the error of a change that is not sent because the account is made flat.
fn refused_by_door(meta: &Meta) -> Error {
    let why = "everything of the account is being cancelled and closed; nothing is placed until that ends";
    Error::Unsigned(Box::new(Unsigned { operation: meta.id, why, skew: None, is_late: false, waited: Duration::ZERO }))
}
