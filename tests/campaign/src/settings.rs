//! The settings of a campaign.

use std::collections::BTreeSet;
use std::time::Duration;

use tradeapi::runtime::confirm::ConfirmPolicy;
use tradeapi::runtime::retry::RetryPolicy;

use crate::assumptions::Assumption;
use crate::variant::ClientVariant;

/// The settings of a campaign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The seed of every random choice.
    pub seed: u64,
    /// The number of requests that place orders, alone or in batches. Amendments and cancellations are not counted.
    pub placements: u64,
    /// The number of accounts, each with its own client, limiter and exchange. The documents allow a user about ten
    /// calls per second, so many calls in little time need many users.
    pub accounts: u64,
    /// The number of tasks that share an account's client.
    pub tasks: u64,
    /// The percentage of changes that the exchange faults.
    pub faults: u64,
    /// The percentage of answers with a [quirk](tradeapi_exchange::Quirk).
    pub quirks: u64,
    /// The speed of the clock for signatures and for the pauses between queries, as a multiple of real time. Rate
    /// limits always use the real clock.
    pub speed: u32,
    /// The client under test.
    pub variant: ClientVariant,
    /// The assumptions that do not hold.
    pub beyond: BTreeSet<Assumption>,
}

impl Default for Settings {
    fn default() -> Self {
        let (seed, placements, accounts, tasks) = (1, 10_000, 64, 8);
        let (variant, beyond) = (ClientVariant::Correct, BTreeSet::new());
        Self { seed, placements, accounts, tasks, faults: 40, quirks: 8, speed: 1, variant, beyond }
    }
}

/// The signature window, the settling time, and how far a machine may be behind and two clocks wrong.
const ABSENCE_PROOF_DELAY: Duration = Duration::from_secs(30 + 10 + 60 + 60);

/// The largest difference between an exchange's clock and its client's.
pub(crate) const SKEW: Duration = Duration::from_secs(5);

impl Settings {
    /// Returns whether an assumption does not hold.
    pub fn goes_beyond(&self, assumption: Assumption) -> bool {
        self.beyond.contains(&assumption)
    }

    /// Returns the prefix of an account's order ids, which are valid in both families.
    pub(crate) fn id_prefix(&self, account: u64) -> String {
        match self.has_odd_ids(account) {
            true => format!("{:x}:{account}/._", self.seed),
            false => format!("{:x}-{account}", self.seed),
        }
    }

    /// Returns whether ids have characters other than letters, digits and `-`.
    pub(crate) fn has_odd_ids(&self, account: u64) -> bool {
        self.variant == ClientVariant::Correct && (account + self.seed) % 5 == 1
    }

    /// Returns what the ids of the classic family end with: characters that a query has only as escapes.
    pub(crate) fn escaped_suffix(&self, account: u64) -> &'static str {
        let has_escapes = self.variant == ClientVariant::Correct && (account + self.seed) % 7 == 2;
        if has_escapes { "+&=#%" } else { "" }
    }

    /// Returns the number of requests by which one task of an account places orders. The first tasks take the
    /// remainder.
    pub(crate) fn requests_for(&self, account: u64, task: u64) -> u64 {
        let all = self.accounts * self.tasks;
        let number = account % self.accounts * self.tasks + task;
        (self.placements + all).saturating_sub(1 + number) / all
    }

    /// Returns how long to wait until an absence is a proof, by the fast clock.
    pub(crate) fn absence_proof_delay(&self) -> Duration {
        ABSENCE_PROOF_DELAY + SKEW
    }

    /// Converts real time into time on the fast clock.
    pub(crate) fn scaled(&self, time: Duration) -> Duration {
        time * self.speed
    }

    /// Returns a policy that gives up early.
    pub(crate) fn brief_policy(&self) -> ConfirmPolicy {
        let [first, longest, deadline] = [150, 300, 600].map(|millis| self.scaled(Duration::from_millis(millis)));
        ConfirmPolicy::new().pauses(first, longest).deadline(deadline)
    }

    /// Returns a policy for queries after an absence is a proof. Queries fail too, so there is time for several.
    pub(crate) fn final_policy(&self) -> ConfirmPolicy {
        let deadline = self.scaled(Duration::from_secs(2)).max(Duration::from_secs(40));
        ConfirmPolicy::new().pauses(Duration::from_millis(500), Duration::from_secs(4)).deadline(deadline)
    }

    /// Returns a policy with a single query.
    pub(crate) fn single_query_policy(&self) -> ConfirmPolicy {
        let second = self.scaled(Duration::from_secs(1));
        ConfirmPolicy::new().pauses(second, second).deadline(second)
    }

    /// Returns a policy for calls that may be repeated.
    pub(crate) fn retry_policy(&self) -> RetryPolicy {
        let [first, longest] = [20, 200].map(|millis| self.scaled(Duration::from_millis(millis)));
        RetryPolicy::new().attempts(4).pauses(first, longest)
    }
}
