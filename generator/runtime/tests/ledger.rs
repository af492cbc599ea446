//! A ledger counts what trades did to positions, exactly.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use tradeapi_runtime::Decimal;
use tradeapi_runtime::ledger::{
    Contract, Ledger, LedgerError, Position, PositionKey, PositionSide, Trade, TradeEffect,
};

fn number(text: &str) -> Decimal {
    text.parse().unwrap()
}

fn trade(id: &str, is_buy: bool, price: &str, quantity: &str) -> Trade {
    Trade::new(id, "BTCUSDT", is_buy, number(price), number(quantity))
}

fn key(side: PositionSide) -> PositionKey {
    PositionKey::new("house", "line", "BTCUSDT", side)
}

/// Returns the net position after trades, of which each was bought or sold at a price and in a quantity.
fn after(contract: Contract, trades: &[(bool, &str, &str)]) -> Position {
    let mut ledger = Ledger::new();
    for (index, (is_buy, price, quantity)) in trades.iter().enumerate() {
        let trade = Trade { contract, ..trade(&index.to_string(), *is_buy, price, quantity) };
        assert!(ledger.take("house", "line", &trade).unwrap());
    }
    ledger.positions()[&key(PositionSide::Net)].clone()
}

/// Returns size, average price and realised profit.
fn figures(position: &Position) -> (Decimal, Option<Decimal>, Option<Decimal>) {
    (position.size().unwrap(), position.average_price(), position.realised())
}

fn numbers(size: &str, price: Option<&str>, realised: &str) -> (Decimal, Option<Decimal>, Option<Decimal>) {
    (number(size), price.map(number), Some(number(realised)))
}

#[test]
fn a_position_grows_shrinks_ends_and_turns() {
    let linear = |trades: &[_]| figures(&after(Contract::Linear, trades));
    assert_eq!(linear(&[(true, "100", "2"), (true, "130", "1")]), numbers("3", Some("110"), "0"));
    assert_eq!(linear(&[(true, "100", "2"), (false, "110", "1")]), numbers("1", Some("100"), "10"));
    assert_eq!(linear(&[(false, "100", "2"), (true, "110", "2")]), numbers("0", None, "-20"));
    assert_eq!(linear(&[(true, "100", "2"), (false, "110", "5")]), numbers("-3", Some("110"), "20"));
    assert_eq!(linear(&[(false, "100", "2"), (true, "90", "3"), (false, "95", "1")]), numbers("0", None, "25"));
}

#[test]
fn opposite_trades_are_not_netted_unless_the_account_has_one_position() {
    let unless_hedged =
        |id: &str, is_buy| Trade { effect: TradeEffect::NetUnlessHedged, ..trade(id, is_buy, "100", "2") };
    for begins_with_buy in [true, false] {
        let mut ledger = Ledger::new();
        assert!(ledger.take("house", "line", &unless_hedged("1", begins_with_buy)).unwrap());
        assert!(ledger.take("house", "line", &unless_hedged("2", begins_with_buy)).unwrap());
        let before = ledger.positions().clone();
        let error = ledger.take("house", "line", &unless_hedged("3", !begins_with_buy)).unwrap_err();
        assert_eq!(error, LedgerError::MayBeHedged { trade: "3".to_owned(), position: key(PositionSide::Net) });
        assert!(error.to_string().contains("position mode"), "{error}");
        assert_eq!(*ledger.positions(), before);
        let net = Trade { effect: TradeEffect::Net, ..unless_hedged("3", !begins_with_buy) };
        assert!(ledger.take("house", "line", &net).unwrap(), "a stated mode is taken");
    }
}

#[test]
fn a_whole_position_is_closed_at_its_whole_cost() {
    let tiny = after(Contract::Linear, &[(true, "0.0000001", "0.0000001"), (false, "0.0000001", "0.0000001")]);
    assert_eq!(tiny.realised(), Some(number("0")));
}

#[test]
fn rounding_of_a_closed_share_stays_with_the_remaining_cost() {
    let closes = [(true, "1", "1"), (true, "2", "2"), (false, "1", "1"), (false, "1", "1"), (false, "1", "1")];
    let position = after(Contract::Linear, &closes);
    // Three were bought for five, and sold for three.
    assert_eq!(figures(&position), numbers("0", None, "-2"));
    let part = after(Contract::Linear, &closes[..3]);
    assert_eq!(part.realised(), Some(number("-0.666666666667")));
}

#[test]
fn an_inverse_contract_has_its_profit_in_the_base_coin() {
    let inverse = |trades: &[_]| figures(&after(Contract::Inverse, trades));
    // 0.01 coins at 64000 are worth 640, which are 0.008 coins at 80000.
    assert_eq!(inverse(&[(true, "64000", "0.01"), (false, "80000", "0.01")]), numbers("0", None, "0.002"));
    assert_eq!(inverse(&[(false, "64000", "0.01"), (true, "80000", "0.01")]), numbers("0", None, "-0.002"));
    let half = inverse(&[(true, "64000", "0.01"), (false, "80000", "0.005")]);
    assert_eq!(half, numbers("0.005", Some("64000"), "0.001"));
    let rounded = inverse(&[(true, "2", "1"), (false, "3", "1")]);
    assert_eq!(rounded, numbers("0", None, "0.333333333333"));
}

#[test]
fn only_the_size_is_known_for_an_unknown_contract() {
    let position = after(Contract::Unknown, &[(true, "100", "3"), (false, "110", "1")]);
    assert_eq!(figures(&position), (number("2"), None, None));
    assert_eq!(position.difference(), None);
}

#[test]
fn the_long_and_the_short_position_are_apart() {
    let mut ledger = Ledger::new();
    let effects = [
        ("1", true, TradeEffect::Opened, "3"),
        ("2", false, TradeEffect::Opened, "5"),
        // The side of a fill that closes is that of the position or of the order: the effect decides the position.
        ("3", true, TradeEffect::ClosedLong, "1"),
        ("4", true, TradeEffect::ClosedShort, "1"),
    ];
    for (id, is_buy, effect, quantity) in effects {
        ledger.take("house", "line", &Trade { effect, ..trade(id, is_buy, "100", quantity) }).unwrap();
    }
    let size = |side| ledger.positions()[&key(side)].size().unwrap();
    assert_eq!((size(PositionSide::Long), size(PositionSide::Short)), (number("2"), number("-4")));
    assert_eq!((ledger.positions().len(), ledger.len()), (2, 4));
}

#[test]
fn a_trade_counts_once_in_its_line() {
    let mut ledger = Ledger::new();
    let one = trade("1", true, "100", "1");
    assert!(ledger.take("house", "line", &one).unwrap());
    assert!(!ledger.take("house", "line", &one).unwrap());
    assert!(ledger.take("house", "another", &one).unwrap());
    assert!(ledger.take("another", "line", &one).unwrap());
    assert_eq!(ledger.positions()[&key(PositionSide::Net)].size(), Some(number("1")));
    assert_eq!((ledger.len(), ledger.is_empty()), (3, false));
}

#[test]
fn trades_that_cannot_be_applied_change_nothing() {
    let mut ledger = Ledger::new();
    ledger.open(key(PositionSide::Long), &number("2"), &number("100")).unwrap();
    let closes = Trade { effect: TradeEffect::ClosedLong, ..trade("1", false, "110", "3") };
    let too_much = ledger.take("house", "line", &closes);
    let not_open = LedgerError::NotOpen { trade: "1".to_owned(), position: key(PositionSide::Long) };
    assert_eq!(too_much, Err(not_open));
    let most = rust_decimal::Decimal::MAX.to_string();
    let large = Trade { effect: TradeEffect::Opened, ..trade("2", true, &most, "3") };
    let inexact = ledger.take("house", "line", &large);
    assert!(matches!(inexact, Err(LedgerError::Inexact { .. })), "{inexact:?}");
    let tiny = Trade { effect: TradeEffect::Opened, ..trade("3", true, "0.0000000000000001", "0.0000000000000001") };
    assert!(ledger.take("house", "line", &tiny).is_err());
    let fine = Trade { effect: TradeEffect::Opened, ..trade("4", true, "1", "0.0000000000000000000000000001") };
    assert!(ledger.take("house", "line", &fine).is_err());
    let endless = Trade { fees: vec![("USDT".to_owned(), number(&"9".repeat(30)))], ..trade("5", true, "1", "1") };
    assert!(matches!(ledger.take("house", "line", &endless), Err(LedgerError::Inexact { .. })));
    let refused = ledger.open(key(PositionSide::Long), &number(&most), &number("3"));
    assert_eq!(refused, Err(LedgerError::InexactOpening { position: key(PositionSide::Long) }));
    let long = &ledger.positions()[&key(PositionSide::Long)];
    assert_eq!(figures(long), numbers("2", Some("100"), "0"));
    assert!(ledger.is_empty());
    // All of it can be closed.
    assert!(ledger.take("house", "line", &Trade { quantity: number("2"), ..closes }).unwrap());
    assert_eq!(figures(&ledger.positions()[&key(PositionSide::Long)]), numbers("0", None, "20"));
}

#[test]
fn reported_profits_are_compared_and_fees_add_up_by_coin() {
    let mut ledger = Ledger::new();
    let fee = |coin: &str, amount| (coin.to_owned(), number(amount));
    let opens = Trade {
        profit: Some(number("0")),
        fees: vec![fee("USDT", "-0.1"), fee("FOO", "-3")],
        ..trade("1", true, "100", "1")
    };
    let closes = Trade { profit: Some(number("9")), fees: vec![fee("USDT", "-0.2")], ..trade("2", false, "110", "1") };
    ledger.take("house", "line", &opens).unwrap();
    assert_eq!(ledger.differences().count(), 0);
    ledger.take("house", "line", &closes).unwrap();
    let differences: Vec<_> = ledger.differences().collect();
    assert_eq!(differences, [(&key(PositionSide::Net), number("-1"))]);
    let position = &ledger.positions()[&key(PositionSide::Net)];
    assert_eq!(position.reported(), Some(number("9")));
    assert_eq!(position.fees(), [("USDT", number("-0.3")), ("FOO", number("-3"))].into());
    ledger.take("house", "line", &trade("3", true, "100", "1")).unwrap();
    assert_eq!(ledger.positions()[&key(PositionSide::Net)].reported(), None);
}

/// A listing may show a fill after later ones. The figures are those of the true order, and the change is reported.
#[test]
fn a_late_trade_is_taken_in_its_place_and_reported() {
    let in_order = [("9", true, "100"), ("10", true, "110"), ("11", false, "120"), ("12", false, "90")];
    let figures_of = |order: [usize; 4]| {
        let mut ledger = Ledger::new();
        for (id, is_buy, price) in order.map(|index| in_order[index]) {
            assert!(ledger.take("house", "line", &trade(id, is_buy, price, "1")).unwrap());
        }
        let figures = figures(&ledger.positions()[&key(PositionSide::Net)]);
        let late =
            ledger.corrections().iter().map(|late| (late.trade.clone(), late.shown.clone(), late.corrected.clone()));
        (figures, late.collect::<Vec<_>>())
    };
    let known = |text| Some(number(text));
    let right = numbers("0", None, "0");
    assert_eq!(figures_of([0, 1, 2, 3]), (right.clone(), vec![]));
    // Without the second, the last one had opened a position.
    assert_eq!(figures_of([0, 2, 3, 1]), (right.clone(), vec![("10".to_owned(), known("20"), known("0"))]));
    // The first two lost twenty, and the third one shows a loss of fifteen.
    let late = [("9", "-20", "-15"), ("11", "-15", "0")]
        .map(|(id, shown, corrected)| (id.to_owned(), known(shown), known(corrected)));
    assert_eq!(figures_of([1, 3, 0, 2]), (right, late.to_vec()));
    let mut ledger = Ledger::new();
    ledger.open(key(PositionSide::Net), &number("1"), &number("90")).unwrap();
    for (id, is_buy, price) in [in_order[2], in_order[0]] {
        ledger.take("house", "line", &trade(id, is_buy, price, "1")).unwrap();
    }
    assert_eq!(
        ledger.corrections().iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["house line BTCUSDT: the late trade 9 changes the realised profit from 30 to 25"]
    );
}

/// A late trade that makes the true order impossible changes nothing.
#[test]
fn a_late_trade_that_does_not_fit_is_refused() {
    let mut ledger = Ledger::new();
    let of = |id, is_buy, effect| Trade { effect, ..trade(id, is_buy, "100", "1") };
    ledger.take("house", "line", &of("1", true, TradeEffect::Opened)).unwrap();
    ledger.take("house", "line", &of("3", false, TradeEffect::ClosedLong)).unwrap();
    let refused = ledger.take("house", "line", &of("2", false, TradeEffect::ClosedLong));
    assert!(matches!(refused, Err(LedgerError::NotOpen { ref trade, .. }) if trade == "3"), "{refused:?}");
    assert_eq!((ledger.len(), ledger.corrections()), (2, &[][..]));
}

/// Neither the net position nor another one is known any more, and a trade that would close too much is no error.
#[test]
fn an_unknown_effect_makes_the_positions_of_its_instrument_unknown() {
    let mut ledger = Ledger::new();
    let of =
        |id, effect| Trade { effect, fees: vec![("USDT".to_owned(), number("-1"))], ..trade(id, true, "100", "1") };
    ledger.take("house", "line", &of("1", TradeEffect::Opened)).unwrap();
    ledger.take("house", "line", &Trade { instrument: "ETHUSDT".to_owned(), ..of("2", TradeEffect::Opened) }).unwrap();
    ledger.take("house", "line", &of("3", TradeEffect::Unknown)).unwrap();
    for (id, effect) in
        [("4", TradeEffect::ClosedLong), ("5", TradeEffect::ClosedLong), ("6", TradeEffect::ClosedShort)]
    {
        ledger.take("house", "line", &of(id, effect)).unwrap();
    }
    for (side, fees) in [(PositionSide::Long, "-3"), (PositionSide::Short, "-1"), (PositionSide::Unknown, "-1")] {
        let position = &ledger.positions()[&key(side)];
        assert_eq!((position.size(), position.average_price(), position.realised()), (None, None, None), "{side:?}");
        assert_eq!(position.fees()["USDT"], number(fees), "{side:?}");
        assert!(position.to_string().starts_with("unknown"), "{position}");
    }
    let other = PositionKey::new("house", "line", "ETHUSDT", PositionSide::Long);
    assert_eq!(ledger.positions()[&other].size(), Some(number("1")));
    // The caller knows it from elsewhere.
    ledger.open(key(PositionSide::Long), &number("2"), &number("100")).unwrap();
    ledger.take("house", "line", &of("7", TradeEffect::Opened)).unwrap();
    assert_eq!(ledger.positions()[&key(PositionSide::Long)].size(), Some(number("3")));
}
