//! What connections to an exchange are like.

use std::time::Duration;

use tradeapi_tests::loopback::ScriptedServer;

use tradeapi_tests::dice::Dice;

/// What the connections to an exchange are like. All times are real ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Line {
    /// How much later than it was sent the first request of a connection arrives.
    pub first: Duration,
    /// How much later any request arrives, at most.
    pub jitter: Duration,
    /// How long a connection may rest until it is closed.
    pub idle: Option<Duration>,
    /// Whether answers state how long, in whole seconds.
    pub tells_idle: bool,
}

impl Line {
    pub(crate) fn lay(self, server: &ScriptedServer, seed: u64) {
        server.delay_requests(move |connection, nth| {
            let mut dice = Dice::new(seed, &format!("request {nth} of connection {connection}"));
            let jitter = Duration::from_micros(dice.below(self.jitter.as_micros() as u64 + 1));
            if nth == 0 { self.first + jitter } else { jitter }
        });
        if let Some(idle) = self.idle {
            server.close_idle_after(idle);
        }
    }

    /// The header with that time, if answers have it.
    pub(crate) fn keep_alive(self) -> Option<String> {
        self.idle.filter(|_| self.tells_idle).map(|idle| format!("timeout={}", idle.as_secs()))
    }
}
