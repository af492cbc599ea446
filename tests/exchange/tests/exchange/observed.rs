//! The operations that no document describes: market data and the state of accounts, from the state of the exchange.

use std::time::Duration;

use tradeapi::dec;
use tradeapi::observed::{
    self, CountdownCancelAll, GetAccountSettings, GetCandles, GetContractAccount, GetContractIndexCandles,
    GetContractMarkCandles, GetContractPositions, GetContractTicker, GetContracts, GetFeeRate, GetFundingRate,
    GetInstruments, GetOrderBook, GetPositions, GetRecentTrades, GetServerTime, GetTickers, Interval, PositionMode,
    PositionSide, ProductType, SetContractLeverage, SetHoldMode, SetLeverage, SetMarginMode, SetPositionMode,
};
use tradeapi::runtime::instruments::{self, LoadInstrumentsError};
use tradeapi::runtime::value::OpenEnum as _;
use tradeapi::unified::{Category, Side};
use tradeapi::{Account, Decimal, Error, Instrument, classic};
use tradeapi_exchange::{Accounts, Fault, FaultKind, FaultTarget, Profile};

use crate::fixture::{Fixture, classic_limit, classic_market, code, limit, market, number};

const USDT: observed::Category = observed::Category::UsdtFutures;
const CLASSIC_USDT: ProductType = ProductType::UsdtFutures;

async fn position(fixture: &Fixture) -> observed::Position {
    let positions = fixture.client.observed().get_positions(&GetPositions::new(USDT)).await.unwrap().data;
    positions.list.first().cloned().unwrap()
}

async fn place(fixture: &Fixture, order: tradeapi::unified::PlaceOrder) {
    fixture.client.unified().place_order(&order).await.unwrap();
}

#[tokio::test]
async fn instruments_and_contracts_have_the_steps_that_the_exchange_checks() {
    let fixture = Fixture::one_way();
    let client = fixture.client.observed();
    let of = GetInstruments::new(USDT).symbol("BTCUSDT");
    let instrument = client.get_instruments(&of).await.unwrap().data.first().cloned().unwrap();
    assert_eq!((instrument.price_precision, instrument.price_multiplier), (Some(1), Some(number("0.1"))));
    assert_eq!((instrument.quantity_precision, instrument.min_order_qty), (Some(3), Some(number("0.001"))));
    let of = GetContracts::new(ProductType::UsdcFutures).symbol("BTCPERP");
    let contract = client.get_contracts(&of).await.unwrap().data.first().cloned().unwrap();
    assert_eq!((contract.price_end_step.clone(), contract.price_place), (Some(number("5")), Some(1)));
    let coins = |contract: &observed::Contract| contract.support_margin_coins.items.len();
    assert_eq!((coins(&contract), contract.quote_coin.as_ref().map(|coin| coin.as_str())), (1, Some("USDC")));
    for demo in [ProductType::SusdtFutures, ProductType::ScoinFutures] {
        assert!(client.get_contracts(&GetContracts::new(demo)).await.unwrap().is_empty());
    }
    let time = client.get_server_time(&GetServerTime::new()).await.unwrap().data.server_time;
    assert_eq!(time, Some(fixture.exchange.time().now()));
}

/// Returns the rules for which a client refuses a request.
fn broken<T>(result: Result<T, Error>) -> Vec<String> {
    match result {
        Err(Error::Refused(refusal)) => refusal.violations.iter().map(|violation| violation.rule.clone()).collect(),
        _ => Vec::new(),
    }
}

#[tokio::test]
async fn loaded_instruments_turn_the_rules_on_steps_and_minimum_on() {
    let fixture = Fixture::one_way();
    let client = fixture.exchange.client_of(&fixture.keys).build().unwrap();
    let clone = client.clone();
    let off_the_grid = limit("a", Side::Buy, "0.0005", "63000.05");
    assert!(code(client.unified().place_order(&off_the_grid).await).is_some(), "only the exchange refuses it");

    let loaded = client.load_instruments().await.unwrap();
    assert!(loaded.count >= 20, "{loaded}");
    assert_eq!(client.core().instruments_read_at(), Some(loaded.read_at));
    let all = ["futures-price-step", "futures-price-decimals", "futures-qty-minimum", "futures-qty-step"];
    assert_eq!(broken(clone.unified().place_order(&off_the_grid).await), all, "clones share them");
    assert_eq!(broken(client.unified().place_order(&spot_order("0.000001")).await), ["spot-qty-minimum"]);
    let places = classic_limit("b", classic::Side::Buy, "0.0105", "60000");
    assert_eq!(broken(client.classic().place_order(&places).await), ["size-decimals"]);
    client.unified().place_order(&limit("c", Side::Buy, "0.005", "63000.1")).await.unwrap();
    client.unified().place_order(&spot_order("0.001")).await.unwrap();

    // Families may count one instrument in different units, and contracts state their step in units of the last place.
    let step = |family: &str, line: &str, symbol: &str| {
        client.instrument((family, line), symbol)?.price_multiplier().map(|step| step.as_str().to_owned())
    };
    assert_eq!(step("classic", "USDC-FUTURES", "BTCPERP").as_deref(), Some("0.5"));
    assert_eq!(step("classic", "COIN-FUTURES", "BTCUSD").as_deref(), Some("0.1"));
    assert_eq!(step("unified", "COIN-FUTURES", "BTCUSD"), None);

    // What the caller states takes precedence.
    let stated = Instrument::new().with_price_multiplier(number("0.01"));
    let account = Account::new().instrument(Category::UsdtFutures, "BTCUSDT", stated);
    let stating = client.with_account(account);
    assert_eq!(broken(stating.unified().place_order(&off_the_grid).await), [""; 0]);
}

fn spot_order(qty: &str) -> tradeapi::unified::PlaceOrder {
    let execution = tradeapi::unified::Execution::limit(number("60000"));
    tradeapi::unified::PlaceOrder::new(Category::Spot, "BTCUSDT", number(qty), Side::Buy, execution)
        .client_oid(format!("spot-{qty}").parse().unwrap())
}

/// A refusal because of a step shows that instruments have changed: they are read again, once.
#[tokio::test]
async fn a_stale_step_lets_instruments_be_read_again() {
    let fixture = Fixture::one_way();
    let client = fixture.exchange.client_of(&fixture.keys).build().unwrap();
    let place = async |code: &str| {
        fixture.exchange.time().advance(Duration::from_secs(50));
        fixture.exchange.refuse_next(code);
        client.unified().place_order(&limit("a", Side::Buy, "0.01", "60000")).await.unwrap_err();
        client.core().instruments_read_at()
    };
    assert_eq!(place("25244").await, None, "nothing was read before");
    let first = client.load_instruments().await.unwrap().read_at;
    assert_eq!(place("25244").await, Some(first), "they are less than a minute old");
    assert_eq!(place("40762").await, Some(first), "the code says nothing of a step");
    let second = place("25244").await.unwrap();
    assert!(second > first, "{second}");
    assert_eq!(place("25244").await, Some(second), "they are less than a minute old");
}

#[tokio::test]
async fn instruments_are_loaded_as_a_whole_or_kept() {
    let fixture = Fixture::one_way();
    let client = fixture.exchange.client_of(&fixture.keys).build().unwrap();
    client.load_instruments().await.unwrap();
    let contracts = FaultTarget::Operation("observed.contracts".into());
    fixture.exchange.add_fault(Fault::new(FaultKind::Lose).target(contracts).times(1));
    let error = client.load_instruments().await.unwrap_err();
    let LoadInstrumentsError::Unread { operation, line, .. } = &error else { panic!("{error}") };
    assert_eq!((*operation, *line), ("observed.contracts", "USDT-FUTURES"));
    assert!(client.instrument(Category::UsdtFutures, "BTCUSDT").is_some());
    let none = instruments::load_instruments(client.core(), &[]).await;
    assert!(matches!(none, Err(LoadInstrumentsError::NotListed)));
}

#[tokio::test]
async fn books_tickers_candles_and_trades_show_one_market() {
    let fixture = Fixture::one_way();
    let other = fixture.another(Profile::new().both());
    let client = fixture.client.observed();
    place(&fixture, limit("a", Side::Sell, "0.004", "64000")).await;
    let book = || async { client.get_order_book(&GetOrderBook::new(USDT, "BTCUSDT").limit(2)).await.unwrap().data };
    let before = book().await;
    assert_eq!(
        (before.asks[0].price.clone(), before.asks[0].size.clone()),
        (Some(number("64000")), Some(number("0.004")))
    );
    assert_eq!((before.asks.len(), before.bids.len()), (2, 2));
    place(&other, market("b", Side::Buy, "0.003")).await;
    assert_eq!(book().await.asks[0].size, Some(number("0.001")));

    let trades = client.get_recent_trades(&GetRecentTrades::new(USDT, "BTCUSDT")).await.unwrap().data;
    let shown: Vec<_> = trades.iter().map(|trade| (trade.side.clone(), trade.size.clone())).collect();
    assert_eq!(shown, [(Some(observed::Side::Buy), Some(number("0.003")))]);
    let tickers = client.get_tickers(&GetTickers::new(USDT).symbol("BTCUSDT")).await.unwrap().data;
    assert_eq!(
        (tickers[0].last_price.clone(), tickers[0].volume_24h.clone()),
        (Some(number("64000")), Some(number("0.003")))
    );
    assert_eq!(tickers[0].ask_price, Some(number("64000")));
    let classic = GetContractTicker::new("BTCUSDT", CLASSIC_USDT);
    let classic = client.get_contract_ticker(&classic).await.unwrap().data;
    assert_eq!(
        (classic[0].last_price.clone(), classic[0].base_volume.clone()),
        (Some(number("64000")), Some(number("0.003")))
    );

    fixture.exchange.time().advance(Duration::from_secs(120));
    fixture.exchange.set_price("BTCUSDT", 64_100).unwrap();
    let minutes = GetCandles::new(USDT, "BTCUSDT", Interval::Minute1);
    let minutes = client.get_candles(&minutes).await.unwrap().data;
    let closes: Vec<_> = minutes.iter().map(|candle| candle.close.clone().unwrap()).collect();
    assert_eq!(closes, ["64000", "64000", "64100"].map(number));
    assert_eq!(minutes[0].turnover, Some(number("192")));
    let marks = GetCandles::new(USDT, "BTCUSDT", Interval::Minute1).price(observed::CandleType::Mark);
    let marks = client.get_candles(&marks).await.unwrap().data;
    assert_eq!(marks[0].volume, Some(number("0")));
    let classic = GetContractMarkCandles::new("BTCUSDT", CLASSIC_USDT, Interval::Minute1);
    assert_eq!(*client.get_contract_mark_candles(&classic).await.unwrap().data, *marks);
    let index = GetContractIndexCandles::new("BTCUSDT", CLASSIC_USDT, Interval::Minute1);
    assert_eq!(*client.get_contract_index_candles(&index).await.unwrap().data, *marks);
}

#[tokio::test]
async fn positions_show_entry_mark_profit_and_liquidation() {
    let fixture = Fixture::one_way();
    place(&fixture, market("a", Side::Buy, "0.100")).await;
    place(&fixture, limit("close", Side::Sell, "0.040", "65000").reduce_only(true)).await;
    fixture.exchange.set_price("BTCUSDT", 64_500).unwrap();
    let long = position(&fixture).await;
    assert_eq!(long.pos_side, Some(PositionSide::Long));
    assert_eq!(
        (long.total, long.available, long.frozen),
        (Some(number("0.1")), Some(number("0.06")), Some(number("0.04")))
    );
    let entry = long.entry_price.unwrap().to_rust_decimal().unwrap();
    let profit = (rust_decimal::Decimal::from(64_500) - entry) / rust_decimal::Decimal::TEN;
    assert_eq!(long.unrealised_profit, Some(Decimal::from(profit)));
    assert!(long.open_fee_total.unwrap().is_sign_negative());
    assert_eq!(long.liquidation_price, Some(number("0")), "the balance is greater than the value");
    // The classic account is another one.
    let none =
        fixture.client.observed().get_contract_positions(&GetContractPositions::new(CLASSIC_USDT)).await.unwrap();
    assert!(none.is_empty());
}

#[tokio::test]
async fn a_position_is_liquidated_at_the_price_that_it_shows() {
    for (side, beyond) in [(Side::Buy, -1), (Side::Sell, 1)] {
        let fixture = Fixture::with(|_| {}, Profile::new().both().balance("USDT", 1_000));
        place(&fixture, market("a", side.clone(), "0.100")).await;
        let price = position(&fixture).await.liquidation_price.unwrap().to_rust_decimal().unwrap();
        let one = rust_decimal::Decimal::from(beyond);
        fixture.exchange.set_price("BTCUSDT", price - one).unwrap();
        assert_eq!(fixture.unified().positions.len(), 1, "{side}: before {price}");
        fixture.exchange.set_price("BTCUSDT", price + one).unwrap();
        assert_eq!(fixture.unified().positions.len(), 0, "{side}: beyond {price}");
    }
}

#[tokio::test]
async fn leverage_changes_what_positions_and_orders_take() {
    let fixture = Fixture::with(|_| {}, Profile::new().both().balance("USDT", 2_000));
    place(&fixture, market("a", Side::Buy, "0.100")).await;
    place(&fixture, limit("b", Side::Buy, "0.100", "63000")).await;
    let balance = || fixture.unified().balances["USDT"];
    let (margin, frozen) = (fixture.unified().positions[0].margin, balance().frozen);
    let set = |leverage| SetLeverage::new(USDT, leverage).symbol("BTCUSDT");
    let client = fixture.client.observed();
    assert_eq!(client.set_leverage(&set(20)).await.unwrap().data.result.as_deref(), Some("success"));
    assert_eq!(fixture.unified().positions[0].margin, margin / rust_decimal::Decimal::TWO);
    assert!(balance().frozen < frozen);
    assert_eq!(position(&fixture).await.leverage, Some(20));
    assert_eq!(code(client.set_leverage(&set(5)).await).as_deref(), Some("40762"), "the funds do not suffice");
    assert_eq!(position(&fixture).await.leverage, Some(20));
    assert!(code(client.set_leverage(&set(101)).await).is_some());
    let settings = client.get_account_settings(&GetAccountSettings::new()).await.unwrap().data;
    assert_eq!(settings.symbol_config_list[0].leverage, Some(20));

    // The classic account has its own.
    let set = SetContractLeverage::new("BTCUSDT", CLASSIC_USDT, "USDT").leverage(50);
    client.set_contract_leverage(&set).await.unwrap();
    fixture.open(classic::Side::Buy, "0.100").await;
    let of = GetContractPositions::new(CLASSIC_USDT);
    assert_eq!(client.get_contract_positions(&of).await.unwrap().data[0].leverage, Some(50));
    let account = GetContractAccount::new("BTCUSDT", CLASSIC_USDT, "USDT");
    assert_eq!(client.get_contract_account(&account).await.unwrap().data.crossed_margin_leverage, Some(50));
}

#[tokio::test]
async fn modes_change_while_nothing_is_open() {
    let fixture = Fixture::one_way();
    let client = fixture.client.observed();
    let hedge = SetPositionMode::new(CLASSIC_USDT, PositionMode::Hedge);
    fixture.client.classic().place_order(&classic_limit("a", classic::Side::Buy, "0.01", "60000")).await.unwrap();
    assert_eq!(code(client.set_position_mode(&hedge).await).as_deref(), Some("40017"));
    let cancel = classic::CancelAllOrders::new(classic::ProductType::UsdtFutures);
    fixture.client.classic().cancel_all_orders(&cancel).await.unwrap().done().unwrap();
    client.set_position_mode(&hedge).await.unwrap();
    let open = |trade_side| classic_market(classic::Side::Buy, "0.01").trade_side(trade_side);
    let without = classic_market(classic::Side::Buy, "0.01");
    assert_eq!(code(fixture.client.classic().place_order(&without).await).as_deref(), Some("40774"));
    fixture.client.classic().place_order(&open(classic::TradeSide::Open)).await.unwrap();
    // The unified account keeps its own mode.
    place(&fixture, market("b", Side::Buy, "0.01")).await;
    let set = SetHoldMode::new(PositionMode::Hedge);
    assert_eq!(code(client.set_hold_mode(&set).await).as_deref(), Some("25200"));
    let isolated = SetMarginMode::new("ETHUSDT", CLASSIC_USDT, "USDT", observed::MarginMode::Isolated);
    let set = client.set_margin_mode(&isolated).await.unwrap().data;
    assert_eq!(set.margin_mode, Some(observed::MarginMode::Isolated));
}

#[tokio::test]
async fn long_positions_pay_funding_to_short_ones() {
    let (long, day) = (Fixture::one_way(), Duration::from_secs(24 * 60 * 60));
    let short = long.another(Profile::new().both());
    place(&long, market("a", Side::Buy, "0.100")).await;
    place(&short, market("b", Side::Sell, "0.100")).await;
    long.exchange.set_price("BTCUSDT", 64_000).unwrap();
    let rate = long.client.observed().get_funding_rate(&GetFundingRate::new().symbol("BTCUSDT")).await.unwrap().data;
    assert_eq!(rate[0].funding_rate, Some(number("0.0001")));
    let due = rate[0].next_update.unwrap();
    assert!(due > long.exchange.time().now() && due.as_millis() % (8 * 60 * 60 * 1000) == 0);
    let totals = || [&long, &short].map(|fixture| fixture.unified().balances["USDT"].total);
    let before = totals();
    long.exchange.time().advance(day);
    let after = totals();
    let paid = || dec!(1.92);
    assert_eq!([before[0] - after[0], after[1] - before[1]], [paid(), paid()], "three times 0.01 percent of 6,400");
    assert_eq!(position(&long).await.total_funding, Some(number("-1.92")));

    let free = Fixture::with(|settings| settings.funding = false, Profile::new().both());
    place(&free, market("a", Side::Buy, "0.100")).await;
    let before = free.unified().balances["USDT"].total;
    free.exchange.time().advance(day);
    assert_eq!(free.unified().balances["USDT"].total, before);
}

/// Adds up what a number of each record is.
fn sum<T>(records: &[T], of: impl Fn(&T) -> Option<Decimal>) -> rust_decimal::Decimal {
    records.iter().filter_map(|record| of(record)?.to_rust_decimal().ok()).sum()
}

#[tokio::test]
async fn bills_add_up_to_what_the_balance_changed() {
    let fixture = Fixture::with(|_| {}, Profile::new().both().balance("USDT", 10_000));
    let client = fixture.client.observed();
    place(&fixture, market("a", Side::Buy, "0.100")).await;
    fixture.open(classic::Side::Sell, "0.100").await;
    fixture.exchange.time().advance(Duration::from_secs(9 * 60 * 60));
    fixture.exchange.set_price("BTCUSDT", 65_000).unwrap();
    // It closes the position and opens one on the other side.
    place(&fixture, market("b", Side::Sell, "0.150")).await;

    let of = observed::GetFinancialRecords::new(USDT);
    let records = client.get_financial_records(&of).await.unwrap().data.list.items;
    let kinds: Vec<_> = records.iter().filter_map(|record| record.record_type.as_deref()).collect();
    assert_eq!(kinds, ["SELL_DEAL", "CONTRACT_MAIN_SETTLE_FEE_USER_OUT", "BUY_DEAL"]);
    let total = fixture.unified().balances["USDT"].total;
    let changed = sum(&records, |record| record.amount.clone()) + sum(&records, |record| record.fee.clone());
    assert_eq!(rust_decimal::Decimal::from(10_000) + changed, total);
    let balance = records[0].balance.as_ref().unwrap().to_rust_decimal().unwrap();
    assert_eq!(balance.normalize(), total.normalize());
    let page = client.get_financial_records(&of.limit(2)).await.unwrap().data;
    let next = of_page(&page.cursor);
    let rest = client.get_financial_records(&observed::GetFinancialRecords::new(USDT).cursor(next)).await.unwrap().data;
    assert_eq!((page.list.len(), rest.list.len()), (2, 1));
    let spot = observed::GetFinancialRecords::new(observed::Category::Spot);
    assert!(code(client.get_financial_records(&spot).await).is_some(), "what is not kept is not an empty list");

    let of = observed::GetContractBills::new(CLASSIC_USDT).business_type("contract_settle_fee");
    let bills = client.get_contract_bills(&of).await.unwrap().data.bills.items;
    assert_eq!((bills.len(), bills[0].amount.clone()), (1, Some(number("0.64"))), "the short position receives it");
    let of = observed::GetContractBills::new(CLASSIC_USDT).symbol("ETHUSDT");
    assert!(client.get_contract_bills(&of).await.unwrap().data.bills.is_empty());
}

fn of_page(cursor: &Option<observed::BillId>) -> observed::BillId {
    cursor.clone().unwrap()
}

#[tokio::test]
async fn a_closed_position_is_listed_with_what_it_earned() {
    let fixture = Fixture::one_way();
    let client = fixture.client.observed();
    place(&fixture, market("a", Side::Buy, "0.100")).await;
    place(&fixture, market("b", Side::Buy, "0.100")).await;
    let of = observed::GetPositionHistory::new(USDT);
    assert!(client.get_position_history(&of).await.unwrap().data.list.is_empty(), "it is open");
    fixture.exchange.set_price("BTCUSDT", 65_000).unwrap();
    place(&fixture, market("c", Side::Sell, "0.300")).await;
    let list = client.get_position_history(&of).await.unwrap().data.list.items;
    assert_eq!(list.len(), 1, "the other side is open");
    let past = &list[0];
    assert_eq!(past.pos_side, Some(PositionSide::Long));
    assert_eq!((past.opened.clone(), past.closed.clone()), (Some(number("0.2")), Some(number("0.2"))));
    let parse = |number: &Option<Decimal>| number.as_ref().unwrap().to_rust_decimal().unwrap();
    let size = rust_decimal::Decimal::new(2, 1);
    let gain = (parse(&past.exit_price) - parse(&past.entry_price)) * size;
    assert_eq!(gain.round_dp(4), parse(&past.profit).round_dp(4));
    let fees = parse(&past.open_fee_total) + parse(&past.close_fee_total);
    assert_eq!(parse(&past.net_profit), parse(&past.profit) + fees);
    let of = observed::GetContractPositionHistory::new();
    assert!(client.get_contract_position_history(&of).await.unwrap().data.list.is_empty(), "of the other account");
}

#[tokio::test]
async fn tiers_prices_and_funding_are_those_of_the_engine() {
    let fixture = Fixture::one_way();
    let client = fixture.client.observed();
    let tiers = client.get_contract_tiers(&observed::GetContractTiers::new(CLASSIC_USDT, "BTCUSDT")).await.unwrap();
    assert_eq!(tiers.data[0].leverage, Some(number("100")));
    let set = |leverage| SetContractLeverage::new("BTCUSDT", CLASSIC_USDT, "USDT").leverage(leverage);
    client.set_contract_leverage(&set(100)).await.unwrap();
    assert!(code(client.set_contract_leverage(&set(101)).await).is_some(), "the tier is the bound");
    let tiers = observed::GetPositionTiers::new(USDT).symbol("BTCUSDT");
    assert_eq!(client.get_position_tiers(&tiers).await.unwrap().data[0].maintenance_rate, Some(number("0.005")));

    fixture.exchange.set_mark_price("BTCUSDT", Some(64_100.into())).unwrap();
    let price = client.get_contract_price(&observed::GetContractPrice::new(CLASSIC_USDT, "BTCUSDT")).await.unwrap();
    assert_eq!(price.data[0].mark_price, Some(number("64100")));
    let of = observed::GetContractFundingTime::new(CLASSIC_USDT, "BTCUSDT");
    let next = client.get_contract_funding_time(&of).await.unwrap().data[0].next_funding_time.unwrap();
    let of = observed::GetFundingHistory::new(USDT, "BTCUSDT");
    let newest = client.get_funding_history(&of.limit(3)).await.unwrap().data.payments.items;
    assert_eq!(newest.len(), 3);
    let eight_hours = 8 * 60 * 60 * 1000;
    assert_eq!(newest[0].funding_time.unwrap().as_millis() + eight_hours, next.as_millis());
    let of = observed::GetFundingHistory::new(USDT, "BTCUSDT").limit(3).cursor(2);
    let second = client.get_funding_history(&of).await.unwrap().data.payments.items;
    assert_eq!(
        second[0].funding_time.unwrap().as_millis() + 3 * eight_hours,
        newest[0].funding_time.unwrap().as_millis()
    );

    place(&fixture, market("a", Side::Buy, "0.100")).await;
    let of = observed::GetOpenInterest::new(USDT).symbol("BTCUSDT");
    assert_eq!(client.get_open_interest(&of).await.unwrap().data.list[0].open_interest, Some(number("0.1")));
    let of = observed::GetContractRecentTrades::new(CLASSIC_USDT, "BTCUSDT");
    assert_eq!(client.get_contract_recent_trades(&of).await.unwrap().data[0].size, Some(number("0.1")));
    let of = observed::GetAllFeeRates::new(USDT);
    let fees = client.get_all_fee_rates(&of).await.unwrap().data;
    assert!(fees.items.iter().all(|fee| fee.taker_fee_rate == Some(number("0.0006"))) && fees.len() == 4);
    let info = client.get_account_info(&observed::GetAccountInfo::new()).await.unwrap().data;
    assert_eq!(info.perm_type.as_deref(), Some("read_and_write"));
}

#[tokio::test]
async fn a_user_of_one_family_is_refused_by_the_other() {
    for (accounts, expected) in [
        (Accounts::Classic, [None, Some("40084")]),
        (Accounts::Unified, [Some("40085"), None]),
        (Accounts::Both, [None, None]),
    ] {
        let fixture = Fixture::with(|_| {}, Profile::new().accounts(accounts));
        let client = &fixture.client;
        let positions = client.observed().get_contract_positions(&GetContractPositions::new(CLASSIC_USDT)).await;
        let settings = client.observed().get_account_settings(&GetAccountSettings::new()).await;
        let codes = [code(positions), code(settings)];
        assert_eq!(codes.each_ref().map(Option::as_deref), expected, "{accounts}");
        let fee = client.observed().get_fee_rate(&GetFeeRate::new(USDT, "BTCUSDT")).await;
        assert_eq!(fee.is_ok(), accounts != Accounts::Classic);
    }
}

/// An answer that lists is the slice of its items, whether the list is all of it or a member; and what families call alike
/// converts.
#[tokio::test]
async fn answers_that_list_are_slices_and_values_of_families_convert() {
    let fixture = Fixture::one_way();
    place(&fixture, market("a", Side::Buy, "0.01")).await;
    let client = &fixture.client;
    let positions = client.observed().get_positions(&GetPositions::new(Category::UsdtFutures.into())).await.unwrap();
    let tickers = client.observed().get_tickers(&GetTickers::new(Category::UsdtFutures.into())).await.unwrap();
    let fills = client.unified().get_fill_history(&tradeapi::unified::GetFillHistory::new()).await.unwrap();
    assert_eq!((positions.len(), fills.len(), tickers.is_empty()), (1, 1, false));
    assert_eq!(positions.first(), positions.list.first());
    assert!(positions.iter().all(|position| position.total == Some(dec!(0.01))));

    assert_eq!(Category::from(USDT), Category::UsdtFutures);
    assert_eq!(classic::ProductType::from(CLASSIC_USDT), classic::ProductType::UsdtFutures);
    assert_eq!(PositionMode::from(tradeapi::PositionMode::HedgeMode), PositionMode::Hedge);
    assert_eq!(
        tradeapi::unified::HoldMode::from(tradeapi::PositionMode::OneWayMode),
        tradeapi::unified::HoldMode::OneWay
    );
    assert!(!classic::ProductType::from(ProductType::SusdtFutures).is_known(), "a request with it is refused");
}

/// The end of a countdown cancels every order of its account, and nothing else.
#[tokio::test]
async fn a_countdown_cancels_every_order_of_the_account() {
    let fixture = Fixture::one_way();
    let client = fixture.client.observed();
    let seconds = |seconds| fixture.exchange.time().advance(Duration::from_secs(seconds));
    let open = || fixture.unified().open_orders.len();
    place(&fixture, market("held", Side::Buy, "0.01")).await;
    place(&fixture, limit("futures", Side::Buy, "0.01", "60000")).await;
    place(&fixture, spot_order("0.001")).await;
    fixture.client.classic().place_order(&classic_limit("other", classic::Side::Buy, "0.01", "60000")).await.unwrap();
    let stop = observed::PlaceStrategyOrder::new(USDT, "BTCUSDT").stop_loss(number("50000"));
    client.place_strategy_order(&stop).await.unwrap();

    for _ in 0..3 {
        let answer = client.countdown_cancel_all(&CountdownCancelAll::new(30)).await.unwrap().data;
        assert_eq!(answer.result.as_deref(), Some("success"));
        seconds(29);
        assert_eq!(open(), 2, "it begins anew with each request");
    }
    seconds(1);
    assert_eq!(open(), 0);
    let cancelled = fixture.details("futures").await.unwrap();
    assert_eq!(cancelled.order_status, Some(tradeapi::unified::OrderStatus::Cancelled));
    assert_eq!((fixture.unified().positions.len(), fixture.classic().open_orders.len()), (1, 1));
    let waiting = observed::GetStrategyOrders::new(USDT);
    assert_eq!(client.get_strategy_orders(&waiting).await.unwrap().data.len(), 1, "a condition is no order yet");

    place(&fixture, limit("later", Side::Buy, "0.01", "60000")).await;
    seconds(120);
    assert_eq!(open(), 1, "it is off once it has cancelled");
    client.countdown_cancel_all(&CountdownCancelAll::new(5)).await.unwrap();
    client.countdown_cancel_all(&CountdownCancelAll::new(0)).await.unwrap();
    seconds(120);
    assert_eq!(open(), 1, "0 ends it");
    assert!(code(client.countdown_cancel_all(&CountdownCancelAll::new(4)).await).is_some());
}

#[tokio::test]
async fn the_greatest_order_is_the_greatest_that_is_taken() {
    for (side, order_side) in [(Side::Buy, observed::OrderSide::Buy), (Side::Sell, observed::OrderSide::Sell)] {
        let fixture = Fixture::one_way();
        let client = fixture.client.observed();
        let of = observed::GetMaxOpenAvailable::new(USDT, "BTCUSDT", observed::OrderType::Market, order_side);
        let shown = client.get_max_open_available(&of.size(number("0.01"))).await.unwrap().data;
        assert_eq!(shown.available, Some(number("100000")));
        // A tenth of the value, and the fee, within the spread.
        let cost = shown.buy_open_cost.unwrap().to_rust_decimal().unwrap();
        assert!((cost - rust_decimal::Decimal::new(64_384, 3)).abs() < rust_decimal::Decimal::ONE, "{cost}");
        let most = shown.max_open.unwrap();
        let of_side = if side == Side::Buy { shown.max_buy_open } else { shown.max_sell_open };
        assert_eq!(of_side.as_ref(), Some(&most));
        let more = (most.to_rust_decimal().unwrap() + rust_decimal::Decimal::new(1, 3)).to_string();
        let refused = fixture.client.unified().place_order(&market("more", side.clone(), &more)).await;
        assert_eq!(code(refused).as_deref(), Some("40762"));
        place(&fixture, market("most", side, most.as_str())).await;
    }
}

/// Clients take the end of a page without fills for a text, and it ends the listing.
#[tokio::test]
async fn a_page_without_fills_has_an_empty_end() {
    let fixture = Fixture::one_way();
    let of = classic::GetOrderFillDetails::new(classic::ProductType::UsdtFutures);
    let answer = crate::raw::get("/api/v2/mix/order/fills?productType=USDT-FUTURES").send(&fixture.exchange);
    assert_eq!((&answer["data"]["endId"], &answer["data"]["fillList"]), (&"".into(), &serde_json::json!([])));
    let mut pages = fixture.client.pages(of);
    assert!(pages.next_page().await.unwrap().unwrap().list.is_empty());
    assert!(pages.next_page().await.is_none(), "it is the last one");
}

/// In hedge mode, one request sets the leverage of both sides.
#[tokio::test]
async fn a_unified_contract_has_a_leverage_for_each_side() {
    let fixture = Fixture::hedged();
    let set = SetLeverage::new(USDT, 10).symbol("BTCUSDT").long_leverage(5).short_leverage(20);
    fixture.client.observed().set_leverage(&set).await.unwrap();
    for (client, side, pos) in [("l", Side::Buy, "long"), ("s", Side::Sell, "short")] {
        let order = market(client, side, "0.01").pos_side(pos.parse().unwrap());
        place(&fixture, order).await;
    }
    let margins: Vec<_> = fixture.unified().positions.iter().map(|one| one.margin.round().to_string()).collect();
    assert_eq!(margins, ["128", "32"]);
}
