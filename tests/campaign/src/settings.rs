use std::time::Duration;

use tradeapi::runtime::confirm::ConfirmPolicy;
use tradeapi::runtime::retry::RetryPolicy;

use crate::conduct::Conduct;

/// What a campaign is like.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    /// With how many of a hundred answers something else is odd.
    pub quirks: u64,
    /// How fast the clock runs that signatures are judged by on both sides, and by which clients wait for what they
    /// query again; rate limits are always counted by the real one. With 1, all of it is as it is in life.
    pub speed: u32,
    /// How the client is used.
    pub conduct: Conduct,
}

impl Default for Settings {
    fn default() -> Self {
        let (seed, placements, accounts, tasks) = (1, 10_000, 64, 8);
        Self { seed, placements, accounts, tasks, faults: 40, quirks: 8, speed: 1, conduct: Conduct::Careful }
    }
}

/// How long a request may be under way if its clock is wrong as far as it may be, and how long what was accepted may take to
/// be seen.
const UNTIL_ABSENCE_PROVES: Duration = Duration::from_secs(2 * 30 + 10);

/// How far the exchanges' clocks are from the clients' at most.
pub(crate) const SKEW: Duration = Duration::from_secs(5);

impl Settings {
    /// The names of the faults and orders of one account.
    pub(crate) fn name(&self, account: u64) -> String {
        format!("{:x}-{account}", self.seed)
    }

    /// How many requests that make orders one task of an account sends. What cannot be divided evenly goes to the first
    /// ones.
    pub(crate) fn requests_of(&self, account: u64, task: u64) -> u64 {
        let all = self.accounts * self.tasks;
        let number = account % self.accounts * self.tasks + task;
        (self.placements + all).saturating_sub(1 + number) / all
    }

    /// How long to wait until an absence proves something, by the fast clock.
    pub(crate) fn until_absence_proves(&self) -> Duration {
        UNTIL_ABSENCE_PROVES + SKEW
    }

    /// So much real time on the fast clock.
    pub(crate) fn real(&self, time: Duration) -> Duration {
        time * self.speed
    }

    /// Queries for a while, and leaves the rest for later.
    pub(crate) fn briefly(&self) -> ConfirmPolicy {
        let [first, longest, deadline] = [150, 300, 600].map(|millis| self.real(Duration::from_millis(millis)));
        ConfirmPolicy::new().pauses(first, longest).deadline(deadline)
    }

    /// Queries when an absence proves something. Queries fail too, so there is time for several.
    pub(crate) fn finally(&self) -> ConfirmPolicy {
        let deadline = self.real(Duration::from_secs(2)).max(Duration::from_secs(10));
        ConfirmPolicy::new().pauses(Duration::from_millis(500), Duration::from_secs(4)).deadline(deadline)
    }

    /// Queries once, and waits for the answer.
    pub(crate) fn once(&self) -> ConfirmPolicy {
        let second = self.real(Duration::from_secs(1));
        ConfirmPolicy::new().pauses(second, second).deadline(second)
    }

    /// Tries a few times.
    pub(crate) fn again(&self) -> RetryPolicy {
        let [first, longest] = [20, 200].map(|millis| self.real(Duration::from_millis(millis)));
        RetryPolicy::new().attempts(4).pauses(first, longest)
    }
}
