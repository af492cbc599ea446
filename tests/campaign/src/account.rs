//! One account: its exchange, its client, and its tasks.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tradeapi::Client;
use tradeapi::runtime::ClientBuilder;
use tradeapi::runtime::client::{LimitMode, SigningClock};
use tradeapi::runtime::clock::Environment;
use tradeapi::runtime::error::BuildError;
use tradeapi::runtime::limits::InProcessLimits;
use tradeapi::runtime::transport::{HyperTransport, Transport, TransportLimits};
use tradeapi_exchange::{Hostility, Keys, Seed};
use tradeapi_tests::dice::Dice;

use crate::assumptions::Assumption;
use crate::busy;
use crate::clock::FastClock;
use crate::clock::FastEnvironment;
use crate::context::AccountContext;
use crate::counts::Situation;
use crate::deployment::Deployment;
use crate::exchange::{Exchange, ExchangeSettings};
use crate::figures::Figures;
use crate::ground_truth::{Duplicates, GroundTruth};
use crate::health;
use crate::incorrect::IncorrectTransport;
use crate::ledger::Ledger;
use crate::listing;
use crate::settings::{SKEW, Settings};
use crate::trader::Trader;
use crate::variant::ClientVariant;
use crate::violation::{Violation, find_violations};

/// The time-out of a call.
pub(crate) const CALL: Duration = Duration::from_secs(2);

/// Returns the settings of an account's exchange, which reads `clock`.
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
    (hostility.settling, hostility.lag) = (deployment.settling, deployment.lag);
    if settings.goes_beyond(Assumption::Denials) {
        hostility.denials = 5;
    }
    if settings.goes_beyond(Assumption::Codes) {
        hostility.false_refusals = 5;
    }
    if settings.variant == ClientVariant::Correct {
        (hostility.releases, hostility.blocks) = (5, 3);
    }
    hostility.forgets_ended = deployment.duplicates == Duplicates::RefusedWhileOpen;
    hostility.own_clocks = true;
    ExchangeSettings {
        hostility,
        clock: clock.ahead_by(ahead),
        profile: deployment.profile,
        duplicates: deployment.duplicates,
        signs_as_sent: deployment.signs_as_sent,
    }
}

/// Returns a client over sockets.
pub(crate) fn client_over_sockets(
    settings: &Arc<Settings>,
    url: &str,
    keys: &Keys,
    clock: &FastClock,
) -> Result<Client, BuildError> {
    let limits = TransportLimits { call: CALL, ..TransportLimits::default() };
    builder(settings, url, keys, clock, HyperTransport::new(limits)?, || FastEnvironment::new(clock.clone())).build()
}

/// Returns the client under test: with default settings apart from its environment and transport, unless the variant
/// differs.
pub(crate) fn builder<T: Transport + 'static, E: Environment + 'static>(
    settings: &Arc<Settings>,
    url: &str,
    keys: &Keys,
    clock: &FastClock,
    transport: T,
    environment: impl Fn() -> E,
) -> ClientBuilder<Client> {
    let builder = Client::builder(url).credentials(keys.credentials()).environment(environment());
    // Limits are counted by the real clock.
    let builder = match clock.speed() {
        1 => builder,
        _ => builder.limiter(Arc::<InProcessLimits>::default()),
    };
    let incorrect = |inner| IncorrectTransport::new(inner, environment(), Arc::clone(settings), clock.clone());
    match settings.variant {
        ClientVariant::IgnoresLimits => builder.transport(transport).limits(LimitMode::Off),
        ClientVariant::CountsWhenSent => builder.transport(incorrect(transport)).limits(LimitMode::Off),
        ClientVariant::TrustsEveryTime => builder.transport(incorrect(transport)).signing_clock(SigningClock::Own),
        ClientVariant::AcceptsAnyAnswer => builder.transport(incorrect(transport)),
        _ => builder.transport(transport),
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
    let context = AccountContext::new(Arc::clone(&settings), &client);
    let ledger = context.ledger.clone();
    let dice = Dice::new(settings.seed, &format!("thread of {account}"));
    let busy = deployment.is_busy.then(|| tokio::spawn(busy::block_thread(context.ledger.clone(), dice)));
    let contexts = [context];
    let violations = trade(&contexts, &exchange, &clock, account, |_, _| true).await;
    check_health(&contexts[0], &exchange, account).await;
    let figures = conclude(&exchange, &ledger, violations, |_| Vec::new());
    if let Some(busy) = busy {
        busy.abort();
    }
    Ok(figures)
}

/// Compares the client's claims with the exchange's events, after everything that it has accepted is done. `others` are
/// claims that the ledger does not have.
pub(crate) fn conclude(
    exchange: &Exchange,
    ledger: &Ledger,
    mut violations: Vec<Violation>,
    others: impl FnOnce(&GroundTruth) -> Vec<Violation>,
) -> Figures {
    let (truth, mut counts) = exchange.close();
    let (recorded, covered) = ledger.violations_and_counts();
    counts.add(&covered);
    violations.extend(recorded);
    violations.extend(ledger.with_claims(|claims| find_violations(claims, &truth.effects_by(claims))));
    violations.extend(others(&truth));
    Figures::of(ledger, &truth, &counts, violations)
}

/// Trades until no query can find another outcome. Several clients take turns:
/// the tasks of one use another for the second order with an id. Sends only the placements that `is_selected` takes, by
/// task and request number.
pub(crate) async fn trade(
    contexts: &[AccountContext],
    exchange: &Exchange,
    clock: &FastClock,
    account: u64,
    is_selected: impl Fn(u64, u64) -> bool + Copy,
) -> Vec<Violation> {
    trade_only(contexts, account, is_selected).await;
    settle(&contexts[0], exchange, clock).await
}

/// Trades, and leaves unknown outcomes as they are.
pub(crate) async fn trade_only(
    contexts: &[AccountContext],
    account: u64,
    is_selected: impl Fn(u64, u64) -> bool + Copy,
) {
    let (settings, ledger) = (&contexts[0].settings, &contexts[0].ledger);
    let odd = [
        (settings.has_odd_ids(account), Situation::OddIds),
        (!settings.escaped_suffix(account).is_empty(), Situation::EscapedIds),
    ];
    odd.into_iter().filter(|(is_so, _)| *is_so).for_each(|(_, what)| ledger.cover(what));
    let trade = |task: u64| {
        let mut clients = contexts.iter().cycle().skip(usize::try_from(task).unwrap_or_default()).cloned();
        let (context, other) = (clients.next(), clients.next());
        let (name, suffix) = (format!("{}-{task}", settings.id_prefix(account)), settings.escaped_suffix(account));
        let requests = settings.requests_for(account, task);
        context.zip(other).map(|(context, other)| {
            Trader { context, other, name, suffix }.trade(requests, move |request| is_selected(task, request))
        })
    };
    (0..settings.tasks).filter_map(trade).collect::<FuturesUnordered<_>>().collect::<()>().await;
}

/// Queries what is unknown until no query can find another outcome, and compares the listings.
pub(crate) async fn settle(context: &AccountContext, exchange: &Exchange, clock: &FastClock) -> Vec<Violation> {
    let settings = &context.settings;
    if matches!(settings.variant, ClientVariant::Correct | ClientVariant::IgnoresRetention) {
        context.settle_all(clock).await;
    }
    if settings.variant == ClientVariant::Correct {
        return listing::compare(&context.client, exchange).await;
    }
    Vec::new()
}

/// Checks that the client still works once the exchange does.
pub(crate) async fn check_health(context: &AccountContext, exchange: &Exchange, account: u64) {
    let settings = &context.settings;
    if matches!(settings.variant, ClientVariant::Correct | ClientVariant::TrustsEveryTime) {
        exchange.calm();
        health::check(&context.client, &context.ledger, settings, &settings.id_prefix(account)).await;
    }
}
