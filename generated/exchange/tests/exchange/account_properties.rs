//! Properties of the account that a client has, and how a mismatch shows.

use tradeapi::unified::{PosSide, Side};
use tradeapi::{Account, Client, Error, PositionMode, classic};
use tradeapi_exchange::{Exchange, Mode, Profile, Seed, Settings, Time};

use super::desk::limit;

/// A client with a position mode, of an account with another one or the same.
fn with_mode(mode: PositionMode, has: Mode) -> (Exchange, Client) {
    let mut settings = Settings::default();
    (settings.seed, settings.rate_limits) = (Seed(7), false);
    let exchange = Exchange::with(settings, Time::by_hand(), Profile::new().mode(has));
    let account = Account::new().position_mode(mode);
    let client = exchange.client_of(exchange.keys()).account(account).build().unwrap();
    (exchange, client)
}

fn classic_order() -> classic::PlaceOrder {
    let execution = classic::Execution::limit(63_000, classic::Force::Gtc);
    let (line, margin) = (classic::ProductType::UsdtFutures, classic::MarginMode::Crossed);
    classic::PlaceOrder::new("BTCUSDT", line, margin, "USDT", 1, classic::Side::Buy, execution)
}

#[tokio::test]
async fn what_does_not_fit_the_mode_is_refused_before_it_is_sent() {
    let (exchange, client) = with_mode(PositionMode::HedgeMode, Mode::Hedge);
    let refused = client.unified().place_order(&limit("a", Side::Buy, "0.01", "63000")).await;
    let Err(Error::Refused(refusal)) = refused else { panic!("{refused:?}") };
    assert_eq!(refusal.violations[0].rule, "hedge-mode-needs-pos-side");
    assert!(exchange.take_events().is_empty());
    let fits = limit("a", Side::Buy, "0.01", "63000").pos_side(PosSide::Long);
    client.unified().place_order(&fits).await.unwrap();
}

#[tokio::test]
async fn a_mode_that_the_account_does_not_have_shows_in_the_error() {
    let (_exchange, client) = with_mode(PositionMode::OneWayMode, Mode::Hedge);
    let unified = client.unified().place_order(&limit("a", Side::Buy, "0.01", "63000")).await.unwrap_err();
    let classic = client.classic().place_order(&classic_order()).await.unwrap_err();
    for (error, code) in [(unified, "25236"), (classic, "40774")] {
        assert_eq!(error.code(), Some(code));
        assert!(error.exchange().unwrap().remedy().unwrap().contains("position mode"), "{error:?}");
        assert!(format!("{error:?}").ends_with("before they are sent"), "{error:?}");
    }
}

#[tokio::test]
async fn a_key_of_the_other_class_of_accounts_shows_in_the_error() {
    let (exchange, client) = with_mode(PositionMode::OneWayMode, Mode::OneWay);
    exchange.refuse_next("40084");
    let error = client.unified().place_order(&limit("a", Side::Buy, "0.01", "63000")).await.unwrap_err();
    assert!(error.remedy().unwrap().starts_with("use the operations of the family classic"), "{error:?}");
    exchange.clear_faults();
    exchange.refuse_next("40085");
    let error = client.classic().place_order(&classic_order()).await.unwrap_err();
    assert!(error.remedy().unwrap().starts_with("use the operations of the family unified"), "{error:?}");
}
