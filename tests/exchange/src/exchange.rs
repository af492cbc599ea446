use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tradeapi_sandbox::Sandbox;

use crate::book::Book;
use crate::clock::FastClock;
use crate::desk::Desk;
use crate::operation::{Family, Listed};
use crate::tally::Tally;

/// How an exchange behaves.
#[derive(Clone, Debug)]
pub struct Settings {
    /// What follows from nothing else follows from this.
    pub seed: u64,
    /// With how many of a hundred changes something goes wrong; with questions half as often.
    pub faults: u64,
    /// The clock that signatures are judged by.
    pub clock: FastClock,
    /// The secret that requests are signed with.
    pub secret: String,
}

/// A running exchange with one account. It ends when it is dropped.
#[derive(Debug)]
pub struct Exchange {
    sandbox: Sandbox,
    desk: Arc<Mutex<Desk>>,
}

impl Exchange {
    /// Starts on a free port of this machine.
    ///
    /// # Errors
    ///
    /// When no port or no thread is to be had.
    pub fn start(settings: Settings) -> io::Result<Self> {
        let sandbox = Sandbox::start()?;
        let desk = Arc::new(Mutex::new(Desk::new(settings)));
        let served = Arc::clone(&desk);
        sandbox.answer_otherwise(move |request| lock(&served).serve(request));
        Ok(Self { sandbox, desk })
    }

    /// Where it listens, as a base address.
    pub fn url(&self) -> String {
        self.sandbox.url()
    }

    /// How many requests have come.
    pub fn calls(&self) -> usize {
        self.tally().calls.values().map(|rate| rate.calls).sum()
    }

    /// What it has counted so far.
    pub fn tally(&self) -> Tally {
        lock(&self.desk).tally()
    }

    /// The ids of the orders that a listing is to have, the latest first.
    pub fn listed(&self, family: Family, listed: Listed) -> Vec<String> {
        lock(&self.desk).listed(family, listed)
    }

    /// Closes the book, with everything in it that was accepted and would come later.
    pub fn close(self) -> (Book, Tally) {
        drop(self.sandbox);
        let mut desk = lock(&self.desk);
        desk.close();
        let tally = desk.tally();
        (std::mem::take(&mut desk.book), tally)
    }
}

/// A panic of the desk fails the test anyway; the book stays good.
fn lock(desk: &Mutex<Desk>) -> MutexGuard<'_, Desk> {
    desk.lock().unwrap_or_else(PoisonError::into_inner)
}
