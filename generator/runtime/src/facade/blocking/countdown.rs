//! The countdown of programs without async.

use std::fmt;
use std::time::Duration;

use super::client::ClientCore;
use crate::calls::countdown::{self, MayHaveFired, NotKept};
use crate::data::error::Error;
use crate::data::operation::Operation;

/// [`Countdown`](countdown::Countdown) for programs without async.
///
/// A program without threads calls [`renew`](Self::renew) between its other calls, at least three times within the length
/// of the countdown, and looks at [`may_have_fired`](Self::may_have_fired); another one calls
/// [`keep_while`](Self::keep_while) in a thread.
pub struct Countdown<O> {
    client: ClientCore,
    countdown: countdown::Countdown<O>,
}

impl<O: Operation> Countdown<O> {
    /// A countdown of `length`, in whole seconds. `request` makes the request that starts a countdown of so many seconds,
    /// and that ends it with 0.
    pub fn new(client: &ClientCore, length: Duration, request: fn(u64) -> O) -> Self {
        Self { client: client.clone(), countdown: countdown::Countdown::new(client.to_async(), length, request) }
    }

    /// Starts the countdown, and starts it again three times within its length, until it may have come to its end, as
    /// [`keep`](countdown::Countdown::keep) does. Before each renewal it asks `goes_on`, and returns `None` if that is
    /// false: the countdown runs on, until [`end`](Self::end) or its own end.
    pub fn keep_while(&mut self, mut goes_on: impl FnMut() -> bool + Send) -> Option<NotKept> {
        self.client.wait(self.countdown.keep_while(&mut goes_on))
    }

    /// Starts the countdown, or starts it again.
    ///
    /// # Errors
    ///
    /// As [`Countdown::renew`](countdown::Countdown::renew).
    pub fn renew(&mut self) -> Result<(), Error> {
        self.client.wait(self.countdown.renew())
    }

    /// Ends the countdown; see [`Countdown::end`](countdown::Countdown::end).
    ///
    /// # Errors
    ///
    /// As [`Countdown::end`](countdown::Countdown::end).
    pub fn end(&mut self) -> Result<(), Error> {
        self.client.wait(self.countdown.end())
    }

    /// Returns when the exchange may have cancelled every order; see
    /// [`Countdown::may_have_fired`](countdown::Countdown::may_have_fired).
    pub fn may_have_fired(&self) -> Option<MayHaveFired> {
        self.countdown.may_have_fired()
    }
}

impl<O> fmt::Debug for Countdown<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.countdown.fmt(f)
    }
}
