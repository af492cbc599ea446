//! One account in virtual time: its exchange, its network, and the clients that trade it.

use std::sync::Arc;

use tradeapi::Client;
use tradeapi::runtime::ClientBuilder;
use tradeapi::runtime::limits::{InProcessLimits, LimitSettings, Limiter};
use tradeapi_exchange::Keys;

use super::Scenario;
use super::network::Network;
use super::one_user::OneUser;
use super::time::Time;
use crate::account;
use crate::assumptions::Assumption;
use crate::clock::FastClock;
use crate::context::AccountContext;
use crate::counts::Situation;
use crate::deployment::{Clients, Deployment};
use crate::exchange::Exchange;
use crate::ledger::Ledger;
use crate::settings::Settings;

/// The address of the exchange.
const ADDRESS: &str = "http://127.0.0.1";

/// One account.
pub(super) struct World<'a> {
    pub(super) scenario: &'a Scenario,
    pub(super) settings: Arc<Settings>,
    pub(super) deployment: Deployment,
    pub(super) exchange: &'a Exchange,
    pub(super) network: Network,
    pub(super) time: Time,
    pub(super) clock: FastClock,
    pub(super) ledger: Ledger,
    pub(super) seed: u64,
}

impl World<'_> {
    pub(super) fn is_selected(&self, task: u64, request: u64) -> bool {
        self.scenario.requests.as_ref().is_none_or(|requests| requests.contains(&(task, request)))
    }

    /// Returns the clients of an account without a journal. Several share their limits: those of a process by
    /// themselves, those of two over Redis, for which a limiter in virtual time stands.
    pub(super) fn contexts(&self, clients: Clients) -> Vec<AccountContext> {
        let process = self.time.clone();
        let processes = match clients {
            Clients::One | Clients::Killed => vec![process],
            Clients::Two => vec![process.clone(), process],
            Clients::TwoProcesses => vec![process.in_new_process(), process],
        };
        let limits = self.limits();
        let context = |process: &Time| {
            let builder = self.builder(process, self.exchange.keys());
            let builder = if clients == Clients::One { builder } else { builder.limiter(Arc::clone(&limits)) };
            self.context(&self.build(builder))
        };
        let covered = match clients {
            Clients::One | Clients::Killed => None,
            Clients::Two => Some(Situation::SecondClient),
            Clients::TwoProcesses => Some(Situation::SecondProcess),
        };
        covered.into_iter().for_each(|what| self.ledger.cover(what));
        let mut contexts: Vec<_> = processes.iter().map(context).collect();
        let pending = contexts.first().map(|first| first.pending.clone()).unwrap_or_default();
        contexts.iter_mut().for_each(|context| context.pending = pending.clone());
        contexts
    }

    /// Returns whether the program uses an id for two orders, by any of its clients. Two processes can know nothing of
    /// each other.
    fn shares_ids(&self) -> bool {
        self.deployment.clients != Clients::TwoProcesses || self.settings.goes_beyond(Assumption::Ids)
    }

    /// Returns a limiter that processes share, as over Redis.
    pub(super) fn limits(&self) -> Arc<dyn Limiter> {
        Arc::new(OneUser(InProcessLimits::with_timer(LimitSettings::default(), self.time.clone())))
    }

    /// Returns a client in a process.
    pub(super) fn builder(&self, process: &Time, keys: &Keys) -> ClientBuilder<Client> {
        account::builder(&self.settings, ADDRESS, keys, &self.clock, self.network.clone(), || process.clone())
    }

    pub(super) fn build(&self, builder: ClientBuilder<Client>) -> Client {
        builder.build().expect("the settings of a simulation are valid")
    }

    pub(super) fn context(&self, client: &Client) -> AccountContext {
        let context = AccountContext::new(Arc::clone(&self.settings), client);
        AccountContext { ledger: self.ledger.clone(), shares_ids: self.shares_ids(), ..context }
    }
}
