use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tradeapi_sandbox::Sandbox;

use crate::book::{Book, Duplicates};
use crate::clock::FastClock;
use crate::desk::Desk;
use crate::line::Line;
use crate::node::Nodes;
use crate::operation::{Family, Listed};
use crate::tally::{Reached, Tally};

/// How an exchange behaves.
#[derive(Clone, Debug)]
pub struct Settings {
    /// What follows from nothing else follows from this.
    pub seed: u64,
    /// With how many of a hundred changes something goes wrong; with questions half as often.
    pub faults: u64,
    /// With how many of a hundred answers something else is odd.
    pub quirks: u64,
    /// The clock that signatures are judged by.
    pub clock: FastClock,
    /// The machines behind the address.
    pub nodes: Nodes,
    /// What connections are like.
    pub line: Line,
    /// What becomes of a client's id that was used before.
    pub duplicates: Duplicates,
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
        settings.line.lay(&sandbox, settings.seed);
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
        let mut tally = lock(&self.desk).tally();
        tally.reach(Reached::IdleClose, self.sandbox.idle_closes() as u64);
        tally.reach(Reached::Unsolicited, self.sandbox.unsolicited() as u64);
        tally
    }

    /// From now on, nothing goes wrong, and all machines are right.
    pub fn calm(&self) {
        lock(&self.desk).calm();
    }

    /// The ids of the orders that a listing is to have, the latest first.
    pub fn listed(&self, family: Family, listed: Listed) -> Vec<String> {
        lock(&self.desk).listed(family, listed)
    }

    /// Closes the book, with everything in it that was accepted and would come later.
    pub fn close(self) -> (Book, Tally) {
        lock(&self.desk).close();
        let tally = self.tally();
        drop(self.sandbox);
        let mut desk = lock(&self.desk);
        (std::mem::take(&mut desk.book), tally)
    }
}

/// A panic of the desk fails the test anyway; the book stays good.
fn lock(desk: &Mutex<Desk>) -> MutexGuard<'_, Desk> {
    desk.lock().unwrap_or_else(PoisonError::into_inner)
}
