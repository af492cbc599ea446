//! A countdown of the exchange, at the end of which it cancels the orders of an account: for the case that the program
//! is dead, or cut off.
//!
//! The exchange counts from when a request arrives, which a client knows to lie between sending it and its answer. A
//! renewal that is answered too late, or not at all, leaves open whether the exchange has cancelled meanwhile, and that is
//! what a [`Countdown`] tells.

use std::error;
use std::fmt;
use std::future::{pending, poll_fn};
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use crate::calls::client::ClientCore;
use crate::data::clock::{Moment, pause};
use crate::data::error::Error;
use crate::data::operation::Operation;
use crate::data::parameters::Named;
use crate::data::tables::Outcome;
use crate::data::value::Timestamp;

/// The share of its length after which a countdown is started again: two renewals may get lost.
const RENEWALS: u32 = 4;

/// Keeps a countdown of the exchange running while the program is alive.
///
/// Nothing is sent before [`keep`](Self::keep) or [`renew`](Self::renew), and dropping the value sends nothing: the
/// countdown comes to its end then, as after a crash.
pub struct Countdown<O> {
    client: ClientCore,
    length: Duration,
    request: fn(u64) -> O,
    /// When the last renewal was sent that has certainly arrived, while the countdown runs.
    renewed: Option<Moment>,
    /// When the last renewal was given up of which it is not known whether it arrived. It may still arrive.
    doubtful: Option<Moment>,
    /// True while a request is under way, and after its call was dropped.
    is_sending: bool,
    fired: Option<MayHaveFired>,
    /// True if [`keep`](Self::keep) has told that it may have come to its end, and no renewal has arrived since.
    is_told: bool,
}

/// The times within which the exchange may have cancelled everything, by the clock of the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MayHaveFired {
    /// Not before this time.
    pub since: Timestamp,
    /// Not after this time; `None` while no later renewal has arrived.
    pub until: Option<Timestamp>,
}

impl fmt::Display for MayHaveFired {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the countdown may have come to its end, and every order been cancelled, since {}", self.since)?;
        match self.until {
            Some(until) => write!(f, " and before {until}"),
            None => Ok(()),
        }
    }
}

/// The reason why a countdown is not kept running any more.
#[non_exhaustive]
pub enum NotKept {
    /// The countdown was not started: the exchange refused the first request. If it did not answer that, the countdown may
    /// run, until [`end`](Countdown::end).
    NotStarted(Box<Error>),
    /// The countdown may have come to its end.
    MayHaveFired {
        /// When.
        times: MayHaveFired,
        /// The reason why the last renewal failed, if it did and was not given up.
        error: Option<Box<Error>>,
    },
}

impl fmt::Display for NotKept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotStarted(error) if error.outcome() == Outcome::NotDone => {
                write!(f, "the countdown was not started: {error}")
            }
            Self::NotStarted(error) => write!(f, "it is not known if the countdown was started: {error}"),
            Self::MayHaveFired { times, error: None } => write!(f, "{times}"),
            Self::MayHaveFired { times, error: Some(error) } => write!(f, "{times}; the last renewal failed: {error}"),
        }
    }
}

debug_as_sentence!(NotKept);

impl error::Error for NotKept {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            Self::NotStarted(error) | Self::MayHaveFired { error: Some(error), .. } => Some(error),
            Self::MayHaveFired { error: None, .. } => None,
        }
    }
}

/// The failure to end a countdown while it may have run.
#[non_exhaustive]
pub struct NotEnded {
    /// When the exchange may have cancelled every order; `None` if nothing was started.
    pub times: Option<MayHaveFired>,
    /// The reason why the last end failed.
    pub error: Box<Error>,
}

impl fmt::Display for NotEnded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the countdown was not ended: {}", self.error)?;
        self.times.map_or(Ok(()), |times| write!(f, "; {times}"))
    }
}

debug_as_sentence!(NotEnded);

impl error::Error for NotEnded {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        Some(&self.error)
    }
}

impl<O: Operation> Countdown<O> {
    /// Creates a countdown of `length`, in whole seconds. `request` makes the request that starts a countdown of so
    /// many seconds, and that ends it with 0.
    pub fn new(client: impl AsRef<ClientCore>, length: Duration, request: fn(u64) -> O) -> Self {
        let client = client.as_ref().clone();
        Self { client, length, request, renewed: None, doubtful: None, is_sending: false, fired: None, is_told: false }
    }

    /// Starts the countdown, and starts it again three times within its length, until it may have come to its end. A
    /// renewal that fails before that, or has no answer when the next one is due, is followed by that one. Compare the
    /// account and call it again: it goes on, and tells once more when a renewal has arrived, because until then everything
    /// may have been cancelled.
    ///
    /// To stop, drop the future and call [`end`](Self::end).
    pub async fn keep(&mut self) -> NotKept {
        loop {
            if let Some(ended) = self.keep_while(&mut || true).await {
                return ended;
            }
        }
    }

    /// Does the same, and asks before each renewal but the first if it goes on; returns `None` if it does not.
    pub(crate) async fn keep_while(&mut self, goes_on: &mut (dyn FnMut() -> bool + Send)) -> Option<NotKept> {
        let (client, share) = (self.client.clone(), self.length / RENEWALS);
        loop {
            let (begun, is_running) = (client.moment(), self.renewed.is_some());
            let due = async {
                match is_running {
                    true => pause(client.environment(), share).await,
                    // The answer to the first one decides.
                    false => pending().await,
                }
            };
            let failed = unless(due, self.renew()).await.and_then(Result::err).map(Box::new);
            if self.renewed.is_none()
                && let Some(error) = failed
            {
                return Some(NotKept::NotStarted(error));
            }
            if let Some(times) = self.untold() {
                return Some(NotKept::MayHaveFired { times, error: failed });
            }
            pause(client.environment(), share.saturating_sub(client.moment().since(begun))).await;
            if !goes_on() {
                return None;
            }
        }
    }

    /// Returns when the countdown may have come to its end, if that was not told yet.
    fn untold(&mut self) -> Option<MayHaveFired> {
        let fired = self.may_have_fired().filter(|times| times.until.is_some() || !self.is_told)?;
        (self.is_told, self.fired) = (fired.until.is_none(), None);
        Some(fired)
    }

    /// Starts the countdown, or starts it again.
    ///
    /// # Errors
    ///
    /// Fails as a call does. The countdown before it may run on then: see [`may_have_fired`](Self::may_have_fired).
    pub async fn renew(&mut self) -> Result<(), Error> {
        let sent = self.send(self.length.as_secs()).await?;
        self.renewed = Some(sent);
        Ok(())
    }

    /// Ends the countdown. A failed end is sent again until one is answered or the countdown may have come to its end. If it
    /// is not known whether an earlier renewal arrived, the end is sent again as often as renewals, until that renewal can
    /// have no effect any more by what is [assumed](crate::ClientBuilder::assume): with the defaults 70 seconds and the
    /// time for which its signature is valid.
    ///
    /// # Errors
    ///
    /// Fails if no end is answered while the countdown may run. Then everything may have been cancelled, unless nothing was
    /// started. An end without an answer may also arrive later, as long as its signature is valid, and end a countdown that
    /// was started again meanwhile, until that is renewed.
    pub async fn end(&mut self) -> Result<(), NotEnded> {
        loop {
            let sent = self.client.moment();
            self.send_end().await?;
            self.renewed = None;
            let Some(doubtful) = self.doubtful else { return Ok(()) };
            let may_arrive = self.arrives_within(doubtful).saturating_sub(sent.since(doubtful));
            if may_arrive.is_zero() {
                self.doubtful = None;
                return Ok(());
            }
            // One that arrives now would run for the whole length.
            pause(self.client.environment(), may_arrive.min(self.length / RENEWALS)).await;
        }
    }

    /// Sends the end until it is answered, as often as renewals, while the countdown may run.
    async fn send_end(&mut self) -> Result<(), NotEnded> {
        let begun = self.client.moment();
        let runs_for = self.renewed.map(|renewed| self.length.saturating_sub(begun.since(renewed)));
        // An end that is lost delays nothing, so only what was given up before counts.
        let may_run_for = self
            .doubtful
            .map(|doubtful| (self.length + self.arrives_within(doubtful)).saturating_sub(begun.since(doubtful)));
        let since = self.renewed.map(|renewed| renewed.wall() + self.length).or(self.doubtful.map(Moment::wall));
        loop {
            let sent = self.client.moment();
            let error = match self.send(0).await {
                Ok(_) => return Ok(()),
                Err(error) => Box::new(error),
            };
            let now = self.client.moment();
            let left = runs_for.max(may_run_for).unwrap_or_default().saturating_sub(now.since(begun));
            if left.is_zero() {
                return Err(NotEnded { times: since.map(|since| MayHaveFired { since, until: None }), error });
            }
            let share = (self.length / RENEWALS).saturating_sub(now.since(sent));
            pause(self.client.environment(), share.min(left)).await;
        }
    }

    /// Returns how long after `doubtful` a request that was given up then may still be carried out.
    fn arrives_within(&self, doubtful: Moment) -> Duration {
        let named = Named::of(&(self.request)(0));
        let assumptions = self.client.assumptions();
        self.client.carried_out_within(&named, doubtful, assumptions).unwrap_or(assumptions.settling)
    }

    /// Returns when the exchange may have cancelled every order, if it may have done so since the countdown was first
    /// started, or since [`keep`](Self::keep) told it. Compare the account then.
    pub fn may_have_fired(&self) -> Option<MayHaveFired> {
        self.fired.or_else(|| self.lapsed(self.client.moment()).map(|since| MayHaveFired { since, until: None }))
    }

    /// Returns since when a countdown that still runs may have come to its end.
    fn lapsed(&self, now: Moment) -> Option<Timestamp> {
        let renewed = self.renewed.filter(|renewed| now.since(*renewed) >= self.length)?;
        Some(renewed.wall() + self.length)
    }

    /// Sends a request, and returns when that began. What it leaves open is noted, also if the call is dropped.
    async fn send(&mut self, seconds: u64) -> Result<Moment, Error> {
        let sent = self.client.moment();
        if self.is_sending {
            // The call before was dropped: it may have been signed just now.
            self.doubtful = Some(sent);
        }
        self.is_sending = true;
        let result = self.client.call_once(&(self.request)(seconds)).await;
        self.is_sending = false;
        let now = self.client.moment();
        if let Err(error) = result {
            if error.outcome() != Outcome::NotDone {
                self.doubtful = Some(now);
            }
            return Err(error);
        }
        if let Some(since) = self.lapsed(now) {
            let since = self.fired.map_or(since, |fired| fired.since);
            self.fired = Some(MayHaveFired { since, until: Some(now.wall()) });
        }
        Ok(sent)
    }
}

/// Returns the output of a call, unless `due` is ready before.
async fn unless<T>(due: impl Future<Output = ()>, call: impl Future<Output = T>) -> Option<T> {
    let (mut due, mut call) = (pin!(due), pin!(call));
    poll_fn(|context| match call.as_mut().poll(context) {
        Poll::Ready(output) => Poll::Ready(Some(output)),
        Poll::Pending => due.as_mut().poll(context).map(|()| None),
    })
    .await
}

impl<O> fmt::Debug for Countdown<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { length, renewed, fired, .. } = self;
        f.debug_struct("Countdown").field("length", length).field("renewed", renewed).field("fired", fired).finish()
    }
}
