use std::collections::BTreeSet;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tradeapi_sandbox::{Answer, Request, Sandbox};

use crate::book::{Book, Duplicates};
use crate::clock::FastClock;
use crate::counts::{Counts, Reached};
use crate::desk::Desk;
use crate::line::Line;
use crate::node::Nodes;
use crate::operation::{Family, Listed};

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
    /// The only requests with which something goes wrong, as [`Exchange::hit`] calls them; all if there is none.
    pub only: Option<Arc<BTreeSet<String>>>,
}

/// An exchange with one account, on a port or without sockets. It ends when it is dropped.
#[derive(Debug)]
pub struct Exchange {
    sandbox: Option<Sandbox>,
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
        Ok(Self { sandbox: Some(sandbox), desk })
    }

    /// An exchange that answers whoever [asks](Self::serve) it, and runs nothing by itself.
    pub fn without_sockets(settings: Settings) -> Self {
        Self { sandbox: None, desk: Arc::new(Mutex::new(Desk::new(settings))) }
    }

    /// Answers one request.
    pub fn serve(&self, request: &Request) -> Answer {
        lock(&self.desk).serve(request)
    }

    /// Answers a request that a node on the way has sent a second time, which does not count against rate limits.
    pub fn serve_again(&self, request: &Request) -> Answer {
        lock(&self.desk).serve_uncounted(request)
    }

    /// The requests with which something went wrong.
    pub fn hit(&self) -> BTreeSet<String> {
        lock(&self.desk).hit()
    }

    /// Where it listens, as a base address.
    pub fn url(&self) -> String {
        self.sandbox.as_ref().map_or("http://127.0.0.1".to_owned(), Sandbox::url)
    }

    /// How many requests have come.
    pub fn calls(&self) -> usize {
        self.counts().calls.values().map(|rate| rate.calls).sum()
    }

    /// What it has counted so far.
    pub fn counts(&self) -> Counts {
        let mut counts = lock(&self.desk).counts();
        if let Some(sandbox) = &self.sandbox {
            counts.reach(Reached::IdleClose, sandbox.idle_closes() as u64);
            counts.reach(Reached::Unsolicited, sandbox.unsolicited() as u64);
        }
        counts
    }

    /// From now on, nothing goes wrong, and all machines are right.
    pub fn calm(&self) {
        lock(&self.desk).calm();
    }

    /// Whether nothing goes wrong.
    pub fn is_calm(&self) -> bool {
        lock(&self.desk).settings.faults == 0
    }

    /// The ids of the orders that a listing is to have, the latest first.
    pub fn listed(&self, family: Family, listed: Listed) -> Vec<String> {
        lock(&self.desk).listed(family, listed)
    }

    /// Closes the book, with everything in it that was accepted and would come later.
    pub fn close(&self) -> (Book, Counts) {
        lock(&self.desk).close();
        let counts = self.counts();
        let mut desk = lock(&self.desk);
        (std::mem::take(&mut desk.book), counts)
    }
}

/// A panic of the desk fails the test anyway; the book stays good.
fn lock(desk: &Mutex<Desk>) -> MutexGuard<'_, Desk> {
    desk.lock().unwrap_or_else(PoisonError::into_inner)
}
