//! The connections of a client, as it pools them.

use std::time::Duration;

use bytes::Bytes;

use crate::counts::Situation;
use crate::ledger::Ledger;

/// The connections that were made, and those of them that are idle.
#[derive(Debug, Default)]
pub(super) struct Connections {
    /// The latest last.
    idle: Vec<Connection>,
    made: usize,
    /// The number of times that all connections were cut.
    outages: u64,
}

#[derive(Debug)]
pub(super) struct Connection {
    pub(super) number: usize,
    pub(super) made: Duration,
    /// The number of requests sent over it.
    pub(super) requests: u64,
    /// The number of outages before it was made.
    outages: u64,
    /// When the client closes it.
    pub(super) expires: Duration,
    /// When the exchange closes it.
    pub(super) closes: Option<Duration>,
    /// Unsolicited bytes: when the exchange sends them unless a request arrives first, and when the client sees them.
    pub(super) unsolicited: Option<(Duration, Duration, Bytes)>,
}

impl Connections {
    /// Returns the latest idle one that is open as far as the client can see, to which news takes `back`.
    pub(super) fn take(&mut self, now: Duration, back: Duration, ledger: &Ledger) -> Option<Connection> {
        while let Some(connection) = self.idle.pop() {
            let is_seen_closed = connection.closes.is_some_and(|closes| closes + back <= now);
            let is_dirty = connection.unsolicited.as_ref().is_some_and(|(_, seen, _)| *seen <= now);
            if is_seen_closed {
                ledger.cover(Situation::IdleClose);
            } else if connection.expires > now && !self.are_cut_since(&connection) && !is_dirty {
                return Some(connection);
            }
        }
        None
    }

    /// Returns a new one.
    pub(super) fn make(&mut self, now: Duration) -> Connection {
        self.made += 1;
        Connection {
            number: self.made,
            made: now,
            requests: 0,
            outages: self.outages,
            expires: now,
            closes: None,
            unsolicited: None,
        }
    }

    /// Keeps one that is idle.
    pub(super) fn keep(&mut self, connection: Connection) {
        self.idle.push(connection);
    }

    /// Cuts all.
    pub(super) fn cut(&mut self) {
        self.outages += 1;
    }

    /// Returns whether all were cut since `connection` was made.
    pub(super) fn are_cut_since(&self, connection: &Connection) -> bool {
        connection.outages < self.outages
    }
}
