//! The script of answers, and the record of requests.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use crate::loopback::connection_rules::ConnectionRules;
use crate::loopback::{Answer, Request};

pub(super) type Handler = Arc<dyn Fn(&Request) -> Answer + Send + Sync>;

/// The recorded requests, and the scripted answers.
pub(super) struct Script {
    state: Mutex<State>,
    /// The number of requests, for tasks that wait for one.
    count: watch::Sender<usize>,
    connection_rules: ConnectionRules,
}

struct State {
    requests: Vec<Request>,
    next: VecDeque<Answer>,
    otherwise: Handler,
}

impl Script {
    pub(super) fn new() -> Self {
        let otherwise = Arc::new(|_: &Request| Answer::new(501, "the script has no answer"));
        let state = State { requests: Vec::new(), next: VecDeque::new(), otherwise };
        Self { state: Mutex::new(state), count: watch::Sender::new(0), connection_rules: ConnectionRules::default() }
    }

    pub(super) fn connection_rules(&self) -> &ConnectionRules {
        &self.connection_rules
    }

    pub(super) fn answer_next(&self, answer: Answer) {
        self.state().next.push_back(answer);
    }

    pub(super) fn answer_otherwise(&self, handler: Handler) {
        self.state().otherwise = handler;
    }

    pub(super) fn requests(&self) -> Vec<Request> {
        self.state().requests.clone()
    }

    pub(super) fn take_requests(&self) -> Vec<Request> {
        std::mem::take(&mut self.state().requests)
    }

    /// Records a request and chooses its answer.
    pub(super) fn play(&self, request: Request) -> Answer {
        let (next, otherwise) = {
            let mut state = self.state();
            state.requests.push(request.clone());
            (state.next.pop_front(), Arc::clone(&state.otherwise))
        };
        self.count.send_modify(|count| *count += 1);
        // Called without the lock, because a handler may use the server.
        next.unwrap_or_else(|| otherwise(&request))
    }

    /// Waits until `count` requests have arrived since the start.
    pub(super) async fn reached(&self, count: usize) {
        // The sender lives as long as `self`, so this cannot fail.
        let _ = self.count.subscribe().wait_for(|reached| *reached >= count).await;
    }

    /// Locks the state, also if the lock is poisoned, because a handler that panicked fails its own test.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
