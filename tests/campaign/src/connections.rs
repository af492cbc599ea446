//! The delays and time-outs of connections to an exchange.

use std::time::Duration;

use tradeapi_tests::dice::Dice;
use tradeapi_tests::loopback::ScriptedServer;

/// The delays and time-outs of connections to an exchange, in real time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ConnectionProfile {
    /// The delay of the first request of a connection.
    pub first_delay: Duration,
    /// The largest random delay of any request.
    pub jitter: Duration,
    /// The time that a connection may be idle until the exchange closes it.
    pub idle_timeout: Option<Duration>,
    /// True if answers state the idle time-out, in whole seconds.
    pub announces_idle: bool,
}

impl ConnectionProfile {
    /// Makes a server's connections behave so.
    pub(crate) fn apply_to(self, server: &ScriptedServer, seed: u64) {
        server.delay_requests(move |connection, nth| {
            let mut dice = Dice::new(seed, &format!("request {nth} of connection {connection}"));
            let jitter = Duration::from_micros(dice.below(self.jitter.as_micros() as u64 + 1));
            if nth == 0 { self.first_delay + jitter } else { jitter }
        });
        if let Some(idle) = self.idle_timeout {
            server.close_idle_after(idle);
        }
    }

    /// Returns the value of the `Keep-Alive` header, if answers have it.
    pub(crate) fn keep_alive(self) -> Option<String> {
        self.idle_timeout.filter(|_| self.announces_idle).map(|idle| format!("timeout={}", idle.as_secs()))
    }

    /// Returns how long a client keeps an idle connection, if answers state the idle time-out: three quarters of it.
    pub(crate) fn announced_idle(self) -> Option<Duration> {
        self.idle_timeout.filter(|_| self.announces_idle).map(|idle| Duration::from_secs(idle.as_secs()) * 3 / 4)
    }
}
