//! One account: its exchange, its client, and its tasks.

use std::collections::BTreeSet;
use std::future::pending;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::future::{Either, select};
use futures_util::stream::FuturesUnordered;
use tradeapi::Client;
use tradeapi::runtime::client::{LimitMode, SigningClock};
use tradeapi::runtime::clock::Environment;
use tradeapi::runtime::error::BuildError;
use tradeapi::runtime::limits::InProcessLimits;
use tradeapi::runtime::transport::{HyperTransport, Transport, TransportLimits};
use tradeapi_exchange::{Hostility, Keys, Seed};
use tradeapi_tests::dice::Dice;

use crate::busy;
use crate::clock::FastClock;
use crate::clock::FastEnvironment;
use crate::context::AccountContext;
use crate::deployment::Deployment;
use crate::exchange::{Exchange, ExchangeSettings};
use crate::figures::Figures;
use crate::health;
use crate::incorrect::IncorrectTransport;
use crate::listing;
use crate::settings::{SKEW, Settings};
use crate::trader::Trader;
use crate::variant::ClientVariant;
use crate::violation::{Violation, find_violations};

/// The time-out of a call.
pub(crate) const CALL: Duration = Duration::from_secs(2);

/// The settings of an account's exchange, which reads `clock`.
pub(crate) fn exchange(
    settings: &Settings,
    account: u64,
    deployment: &Deployment,
    clock: &FastClock,
) -> ExchangeSettings {
    let mut dice = Dice::new(settings.seed, &format!("account {account}"));
    let skew = SKEW.as_millis() as u64;
    let ahead = dice.below(2 * skew).cast_signed() - skew.cast_signed();
    let mut hostility = Hostility::new(Seed(dice.throw()), settings.faults, settings.quirks);
    (hostility.nodes, hostility.speed) = (deployment.nodes.to_vec(), clock.speed());
    ExchangeSettings {
        hostility,
        clock: clock.ahead_by(ahead),
        profile: deployment.profile,
        duplicates: deployment.duplicates,
    }
}

/// A client over sockets.
pub(crate) fn client_over_sockets(
    settings: &Arc<Settings>,
    url: &str,
    keys: &Keys,
    clock: &FastClock,
) -> Result<Client, BuildError> {
    let limits = TransportLimits { call: CALL, ..TransportLimits::default() };
    client(settings, url, keys, clock, HyperTransport::new(limits)?, || FastEnvironment::new(clock.clone()))
}

/// The client under test: with default settings apart from its environment and transport, unless the variant differs.
pub(crate) fn client<T: Transport + 'static, E: Environment + 'static>(
    settings: &Arc<Settings>,
    url: &str,
    keys: &Keys,
    clock: &FastClock,
    transport: T,
    environment: impl Fn() -> E,
) -> Result<Client, BuildError> {
    let builder = Client::builder(url).credentials(keys.credentials()).environment(environment());
    // Limits are counted by the real clock.
    let builder = match clock.speed() {
        1 => builder,
        _ => builder.limiter(Arc::<InProcessLimits>::default()),
    };
    let incorrect = |inner| IncorrectTransport::new(inner, environment(), Arc::clone(settings), clock.clone());
    match settings.variant {
        ClientVariant::IgnoresLimits => builder.transport(transport).limits(LimitMode::Off).build(),
        ClientVariant::CountsWhenSent => builder.transport(incorrect(transport)).limits(LimitMode::Off).build(),
        ClientVariant::TrustsEveryTime => {
            builder.transport(incorrect(transport)).signing_clock(SigningClock::Own).build()
        }
        ClientVariant::AcceptsAnyAnswer => builder.transport(incorrect(transport)).build(),
        _ => builder.transport(transport).build(),
    }
}

/// Runs one account over sockets, and compares the client's claims with the exchange's events.
pub(crate) async fn run(settings: Arc<Settings>, account: u64) -> io::Result<Figures> {
    let deployment = Deployment::new(&settings, account);
    if deployment.is_busy {
        busy::on_one_thread(move || run_in(settings, account, deployment)).await
    } else {
        run_in(settings, account, deployment).await
    }
}

async fn run_in(settings: Arc<Settings>, account: u64, deployment: Deployment) -> io::Result<Figures> {
    // The accounts leap at different times, so each has a clock.
    let clock = FastClock::new(settings.speed);
    let exchange = Exchange::start(self::exchange(&settings, account, &deployment, &clock))?;
    let client = client_over_sockets(&settings, &exchange.url(), exchange.keys(), &clock).map_err(io::Error::other)?;
    let context = AccountContext::new(Arc::clone(&settings), client.core().clone());
    let dice = Dice::new(settings.seed, &format!("thread of {account}"));
    let busy = deployment.is_busy.then(|| tokio::spawn(busy::block_thread(context.ledger.clone(), dice)));
    let figures = trade(context, &exchange, &clock, account, None, pending()).await;
    if let Some(busy) = busy {
        busy.abort();
    }
    Ok(figures)
}

/// Trades until no query can find another outcome, with `background` running concurrently, and compares the client's
/// claims with the exchange's events. Sends only the given `requests`, as pairs of task and request number, if there
/// are any.
pub(crate) async fn trade(
    context: AccountContext,
    exchange: &Exchange,
    clock: &FastClock,
    account: u64,
    requests: Option<&BTreeSet<(u64, u64)>>,
    background: impl Future<Output = ()>,
) -> Figures {
    let ledger = context.ledger.clone();
    let mut violations =
        match select(pin!(run_tasks(context, exchange, clock, account, requests)), pin!(background)).await {
            Either::Left((violations, _)) => violations,
            Either::Right(((), rest)) => rest.await,
        };
    let (truth, mut counts) = exchange.close();
    let (recorded, covered) = ledger.violations_and_counts();
    counts.add(&covered);
    violations.extend(recorded);
    violations.extend(ledger.with_claims(|claims| find_violations(claims, truth.effects())));
    Figures::of(&ledger, &truth, &counts, violations)
}

async fn run_tasks(
    context: AccountContext,
    exchange: &Exchange,
    clock: &FastClock,
    account: u64,
    requests: Option<&BTreeSet<(u64, u64)>>,
) -> Vec<Violation> {
    let settings = Arc::clone(&context.settings);
    let trader = |task| Trader { context: context.clone(), name: format!("{}-{task}", settings.id_prefix(account)) };
    let trade = |task| {
        let is_selected = move |request| requests.is_none_or(|requests| requests.contains(&(task, request)));
        trader(task).trade(settings.requests_for(account, task), is_selected)
    };
    (0..settings.tasks).map(trade).collect::<FuturesUnordered<_>>().collect::<()>().await;
    let mut violations = Vec::new();
    if matches!(settings.variant, ClientVariant::Correct | ClientVariant::IgnoresRetention) {
        context.settle_all(clock).await;
    }
    if settings.variant == ClientVariant::Correct {
        violations = listing::compare(&context.client, exchange).await;
    }
    if matches!(settings.variant, ClientVariant::Correct | ClientVariant::TrustsEveryTime) {
        exchange.calm();
        health::check(&context.client, &context.ledger, &settings, &settings.id_prefix(account)).await;
    }
    violations
}
