use std::time::Duration;

use tradeapi::runtime::{ConfirmPolicy, RetryPolicy};
use tradeapi_exchange::NO_SUCH_ORDER;

use crate::conduct::Conduct;

/// What a campaign is like.
#[derive(Clone, Debug)]
pub struct Settings {
    /// What everything follows from that follows from anything.
    pub seed: u64,
    /// How many requests that make orders are sent, one or several at once. Amendments and cancels come on top.
    pub placements: u64,
    /// How many accounts they are spread over, each with a client, a limiter and an exchange of its own. The documents
    /// allow some ten calls in a second for a user, so many users make many calls in little time.
    pub accounts: u64,
    /// How many tasks share the client of an account.
    pub tasks: u64,
    /// With how many of a hundred changes something goes wrong.
    pub faults: u64,
    /// How fast the clock runs that signatures are judged by on both sides; rate limits are always counted by the real
    /// one. With 1, all of it is as it is in life.
    pub speed: u32,
    /// How the client is used.
    pub conduct: Conduct,
}

impl Default for Settings {
    fn default() -> Self {
        let (seed, placements, accounts, tasks) = (1, 10_000, 64, 8);
        Self { seed, placements, accounts, tasks, faults: 40, speed: 1, conduct: Conduct::Careful }
    }
}

/// How long a request may be under way, and how long what was accepted may take to be seen.
const WINDOW: Duration = Duration::from_secs(30 + 10);

/// How far the exchanges' clocks are from the clients' at most.
pub(crate) const SKEW: Duration = Duration::from_secs(5);

impl Settings {
    /// The names of the faults and orders of one account.
    pub(crate) fn name(&self, account: u64) -> String {
        format!("{:x}-{account}", self.seed)
    }

    /// How long to wait until an absence proves something.
    pub(crate) fn until_absence_proves(&self) -> Duration {
        (WINDOW + SKEW) / self.speed + Duration::from_millis(200)
    }

    /// Asks for a while, and leaves the rest for later.
    pub(crate) fn briefly(&self) -> ConfirmPolicy {
        asking(Duration::from_millis(50), Duration::from_millis(200), Duration::from_millis(600))
    }

    /// Asks for the last time, when an absence proves something.
    pub(crate) fn finally(&self) -> ConfirmPolicy {
        self.briefly().deadline(Duration::from_secs(2))
    }

    /// Asks until an absence proves something.
    pub(crate) fn patiently(&self) -> ConfirmPolicy {
        let most = self.until_absence_proves() + Duration::from_secs(5);
        asking(Duration::from_millis(200), Duration::from_secs(5) / self.speed, most)
    }

    /// Tries a few times.
    pub(crate) fn again(&self) -> RetryPolicy {
        RetryPolicy::new().attempts(4).pauses(Duration::from_millis(20), Duration::from_millis(200))
    }
}

fn asking(first: Duration, longest: Duration, deadline: Duration) -> ConfirmPolicy {
    let policy = ConfirmPolicy::new().pauses(first, longest).deadline(deadline);
    NO_SUCH_ORDER.into_iter().fold(policy, ConfirmPolicy::absent)
}
