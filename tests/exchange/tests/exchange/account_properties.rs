//! The account properties of a client, and the detection of mismatches.

use tradeapi::runtime::account::AccountEvidence;
use tradeapi::unified::{
    BatchOrder, BatchOrderItem, Category, ClientOid, Execution, GetOpenOrders, GetOrderDetails, HoldMode, OrderRef,
    PosSide, Side,
};
use tradeapi::{Account, Client, Error, PositionMode, Timestamp, classic};
use tradeapi_exchange::{Exchange, Mode, Profile, Seed, Settings, Time};

use super::fixture::{limit, number};

/// Returns a client with a position mode, for an account with another mode or the same.
fn with_mode(mode: PositionMode, has: Mode) -> (Exchange, Client) {
    let mut settings = Settings::default();
    (settings.seed, settings.rate_limits) = (Seed(7), false);
    let exchange = Exchange::with(settings, Time::by_hand(), Profile::new().both().mode(has));
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
async fn a_request_that_contradicts_the_mode_is_refused_before_it_is_sent() {
    let (exchange, client) = with_mode(PositionMode::HedgeMode, Mode::Hedge);
    let refused = client.unified().place_order(&limit("a", Side::Buy, "0.01", "63000")).await;
    let Err(Error::Refused(refusal)) = refused else { panic!("{refused:?}") };
    assert_eq!(refusal.violations[0].rule, "hedge-mode-needs-pos-side");
    assert!(exchange.take_events().is_empty());
    let fits = limit("a", Side::Buy, "0.01", "63000").pos_side(PosSide::Long);
    client.unified().place_order(&fits).await.unwrap();
}

#[tokio::test]
async fn an_unstated_mode_is_requested_in_the_error() {
    let (exchange, _) = with_mode(PositionMode::OneWayMode, Mode::Hedge);
    let client = exchange.client();
    let unified = client.unified().place_order(&limit("a", Side::Buy, "0.01", "63000")).await.unwrap_err();
    let classic = client.classic().place_order(&classic_order()).await.unwrap_err();
    for (error, code) in [(unified, "25236"), (classic, "40774")] {
        assert_eq!(error.code(), Some(code));
        assert!(error.exchange().unwrap().remedy().unwrap().contains("position mode"), "{error:?}");
        assert!(format!("{error:?}").ends_with("before they are sent"), "{error:?}");
    }
    assert_eq!(client.account_mismatches(), []);
}

#[tokio::test]
async fn a_refusal_shows_that_the_account_has_another_mode() {
    let (_exchange, client) = with_mode(PositionMode::OneWayMode, Mode::Hedge);
    let unified = client.unified().place_order(&limit("a", Side::Buy, "0.01", "63000")).await.unwrap_err();
    let classic = client.classic().place_order(&classic_order()).await.unwrap_err();
    for (error, code) in [(unified, "25236"), (classic, "40774")] {
        let mismatch = error.exchange().unwrap().mismatch.as_deref().unwrap();
        assert_eq!((mismatch.property, mismatch.stated.as_str()), ("positionMode", "one_way_mode"));
        assert_eq!(mismatch.evidence, AccountEvidence::Refusal(code.to_owned()));
        assert!(error.exchange().unwrap().remedy().unwrap().starts_with("correct the account"), "{error:?}");
        assert!(error.to_string().contains("states positionMode one_way_mode, but code"), "{error}");
        assert_eq!(client.account_mismatches().len(), 1);
    }
}

#[tokio::test]
async fn an_item_of_a_batch_shows_a_mismatch() {
    let (_exchange, client) = with_mode(PositionMode::OneWayMode, Mode::Hedge);
    let execution = Execution::limit(63_000);
    let item = BatchOrderItem::new(Category::UsdtFutures, "BTCUSDT", number("0.01"), Side::Buy, execution);
    let reply = client.unified().batch_order(&BatchOrder::new(vec![item])).await.unwrap();
    assert!(!reply.all_done());
    let mismatches = client.account_mismatches();
    assert_eq!(mismatches[0].evidence, AccountEvidence::Refusal("25236".to_owned()));
}

#[tokio::test]
async fn a_record_shows_that_the_account_has_another_mode() {
    let (exchange, wrong) = with_mode(PositionMode::HedgeMode, Mode::OneWay);
    let right = wrong.with_account(Account::new().position_mode(PositionMode::OneWayMode));
    let order = limit("a", Side::Buy, "0.01", "60000");
    right.unified().place_order(&order).await.unwrap();
    for client in [&wrong, &right] {
        client.unified().get_open_orders(&GetOpenOrders::new().category(Category::UsdtFutures)).await.unwrap();
    }
    assert_eq!(right.account_mismatches(), []);
    let mismatches = wrong.account_mismatches();
    assert_eq!(mismatches[0].evidence, AccountEvidence::Record("one_way_mode".to_owned()));
    assert!(mismatches[0].at.is_some());

    // So does a record of a listing page by page.
    let listing = exchange.client().with_account(Account::new().position_mode(PositionMode::HedgeMode));
    let open = GetOpenOrders::new().category(Category::UsdtFutures);
    listing.pages(open).next_page().await.unwrap().unwrap();
    assert_eq!(listing.account_mismatches()[0].evidence, mismatches[0].evidence);

    // A refusal that follows from the wrong mode mentions it.
    exchange.take_events();
    let refused = wrong.unified().place_order(&order).await.unwrap_err();
    let Error::Refused(refusal) = &refused else { panic!("{refused:?}") };
    assert_eq!(refusal.mismatches, mismatches);
    assert!(refused.to_string().contains("the record of an order shows one_way_mode"), "{refused}");
    assert!(exchange.take_events().is_empty());
}

/// A record from a stream or another process counts like one that a query returns, and the latest one is used.
#[tokio::test]
async fn a_record_from_outside_shows_that_the_account_has_another_mode() {
    let (exchange, client) = with_mode(PositionMode::HedgeMode, Mode::OneWay);
    let other = client.with_account(Account::new().position_mode(PositionMode::OneWayMode));
    other.unified().place_order(&limit("a", Side::Buy, "0.01", "60000")).await.unwrap();
    let query = GetOrderDetails::new(OrderRef::ClientOid(ClientOid::new("a").unwrap()));
    let earlier = other.unified().get_order_details(&query).await.unwrap().into_data();
    other.classic().place_order(&classic_order().client_oid("b")).await.unwrap();
    let by = classic::OrderRef::ClientOid("b".into());
    let query = classic::GetOrderDetail::new("BTCUSDT", classic::ProductType::UsdtFutures, by);
    let later = other.classic().get_order_detail(&query).await.unwrap().into_data();

    // Each family has its record.
    for is_classic in [false, true] {
        let client = client.with_account(Account::new().position_mode(PositionMode::HedgeMode));
        let _ = match is_classic {
            true => client.evidence(&later).await.unwrap(),
            false => client.evidence(&earlier).await.unwrap(),
        };
        let mismatches = client.account_mismatches();
        assert_eq!(mismatches[0].evidence, AccountEvidence::Record("one_way_mode".to_owned()));
        exchange.take_events();
        let refused = client.unified().place_order(&limit("c", Side::Buy, "0.01", "60000")).await.unwrap_err();
        let Error::Refused(refusal) = &refused else { panic!("{refused:?}") };
        assert_eq!(refusal.mismatches, mismatches);
        assert!(exchange.take_events().is_empty());
    }
    let _ = other.evidence(&later).await.unwrap();
    assert_eq!(other.account_mismatches(), []);

    // A record from before the mode was set shows nothing about the current mode.
    let at = |millis, mode| {
        let mut record = earlier.clone();
        (record.updated_time, record.hold_mode) = (Some(Timestamp::from_millis(millis)), Some(mode));
        record
    };
    let _ = client.evidence(&at(2_000, HoldMode::Hedge)).await.unwrap();
    let _ = client.evidence(&at(1_000, HoldMode::OneWay)).await.unwrap();
    assert_eq!(client.account_mismatches(), []);
    let _ = client.evidence(&at(3_000, HoldMode::OneWay)).await.unwrap();
    assert_eq!(client.account_mismatches().len(), 1);
}

#[tokio::test]
async fn a_broken_rule_is_not_a_mismatch() {
    let (_exchange, client) = with_mode(PositionMode::HedgeMode, Mode::Hedge);
    let unchecked = client.with_check_policy(false);
    let error = unchecked.unified().place_order(&limit("a", Side::Buy, "0.01", "63000")).await.unwrap_err();
    assert_eq!((error.code(), &error.exchange().unwrap().mismatch), (Some("25236"), &None));
    assert_eq!(client.account_mismatches(), []);
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
