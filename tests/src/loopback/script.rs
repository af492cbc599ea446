use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use crate::loopback::line::Line;
use crate::loopback::{Answer, Request};

pub(super) type Handler = Arc<dyn Fn(&Request) -> Answer + Send + Sync>;

/// What was asked so far, and what will be answered.
pub(super) struct Script {
    told: Mutex<Told>,
    /// The number of requests, for those who wait for one.
    count: watch::Sender<usize>,
    line: Line,
}

struct Told {
    requests: Vec<Request>,
    next: VecDeque<Answer>,
    otherwise: Handler,
}

impl Script {
    pub(super) fn new() -> Self {
        let otherwise = Arc::new(|_: &Request| Answer::new(501, "the sandbox was not told what to answer"));
        let told = Told { requests: Vec::new(), next: VecDeque::new(), otherwise };
        Self { told: Mutex::new(told), count: watch::Sender::new(0), line: Line::default() }
    }

    pub(super) fn line(&self) -> &Line {
        &self.line
    }

    pub(super) fn answer_next(&self, answer: Answer) {
        self.told().next.push_back(answer);
    }

    pub(super) fn answer_otherwise(&self, handler: Handler) {
        self.told().otherwise = handler;
    }

    pub(super) fn requests(&self) -> Vec<Request> {
        self.told().requests.clone()
    }

    pub(super) fn take_requests(&self) -> Vec<Request> {
        std::mem::take(&mut self.told().requests)
    }

    /// Records a request and decides what to do with it.
    pub(super) fn play(&self, request: Request) -> Answer {
        let (next, otherwise) = {
            let mut told = self.told();
            told.requests.push(request.clone());
            (told.next.pop_front(), Arc::clone(&told.otherwise))
        };
        self.count.send_modify(|count| *count += 1);
        // Asked without the lock, so that a handler can use the sandbox.
        next.unwrap_or_else(|| otherwise(&request))
    }

    /// Waits until `count` requests have come since the start.
    pub(super) async fn reached(&self, count: usize) {
        // The sender lives as long as self, so this cannot fail.
        let _ = self.count.subscribe().wait_for(|reached| *reached >= count).await;
    }

    /// A handler that panicked fails its own test; what was recorded stays good.
    fn told(&self) -> MutexGuard<'_, Told> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
