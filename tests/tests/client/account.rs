//! Account files: reading, with all mistakes reported at once, and writing without loss.

use std::collections::HashSet;
use std::fs;

use proptest::prelude::*;
use tradeapi::runtime::account_file::AccountFileError;
use tradeapi::unified::{self, Category, ClientOid, OrderRef};
use tradeapi::{Account, Decimal, Instrument, PositionMode, Timestamp, dec};

const FILE: &str = r#"{
  "name": "desk-1",
  "properties": { "positionMode": "hedge_mode", "copyTrading": false, "bindingTime": "2026-01-31T00:00:00Z" },
  "instruments": {
    "USDT-FUTURES": {
      "BTCUSDT": { "priceMultiplier": "0.10", "sizePrecision": 4 },
      "ETHUSDT": { "priceMultiplier": 0.01 }
    }
  }
}"#;

fn as_in_code() -> Account {
    let bitcoin = Instrument::new().with_price_multiplier(dec!(0.10)).with_size_precision(4);
    Account::named("desk-1")
        .position_mode(PositionMode::HedgeMode)
        .copy_trading(false)
        .binding_time(Timestamp::from_millis(1_769_817_600_000))
        .instrument(Category::UsdtFutures, "BTCUSDT", bitcoin)
        .instrument(Category::UsdtFutures, "ETHUSDT", Instrument::new().with_price_multiplier(dec!(0.01)))
}

/// The client gives an instrument in the type that an account takes, with a function for each property.
#[test]
fn an_instrument_has_typed_properties() {
    let client = tradeapi::Client::builder("http://127.0.0.1:1").account(as_in_code()).build().unwrap();
    let pair: Instrument = client.instrument(Category::UsdtFutures, "BTCUSDT").unwrap();
    let step = pair.price_multiplier().map(Decimal::as_str);
    assert_eq!((step, pair.min_order_amount()), (Some("0.10"), None));
    assert!(client.instrument((unified::FAMILY, "SPOT"), "BTCUSDT").is_none());
}

/// The reference of an order is a key where its members are.
#[test]
fn a_reference_of_an_order_is_a_key() {
    let order = OrderRef::from(ClientOid::new("desk-1").unwrap());
    let known = HashSet::from([order.clone(), OrderRef::OrderId("1".into())]);
    assert!(known.contains(&order) && !known.contains(&OrderRef::OrderId("2".into())));
}

#[test]
fn a_file_states_what_code_states() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("account.json");
    fs::write(&path, FILE).unwrap();
    let account = Account::from_file(&path).unwrap();
    assert_eq!(account, as_in_code());
    let step = account.as_ref().instrument("USDT-FUTURES", "BTCUSDT").unwrap().get("priceMultiplier").unwrap();
    assert_eq!(step.as_str(), "0.10", "digits are kept");
    fs::write(&path, account.to_json()).unwrap();
    assert_eq!(Account::from_file(&path).unwrap(), account);
}

#[test]
fn all_mistakes_are_reported_with_their_lines() {
    let text = r#"{
  "nmae": "desk-1",
  "properties": {
    "positionMode": "hedge",
    "copyTrading": "yes",
    "copyTradingPairs": ["BTCUSDT", 7],
    "bindingTime": "yesterday",
    "colour": "red",
    "whitelisted": true, "whitelisted": false
  },
  "instruments": {
    "SPOT": { "BTCUSDT": { "priceMultiplier": "a", "tick": 1 }, "ETHUSDT": [] }
  }
}"#;
    let error = Account::from_json(text).unwrap_err();
    let lines: Vec<_> = error.to_string().lines().map(str::to_owned).collect();
    let expected = [
        "the account cannot be read:",
        "line 2, column 11: nmae: unknown member `nmae`: did you mean `name`?",
        "line 9, column 41: properties.whitelisted: `whitelisted` is given twice",
        "line 4, column 21: properties.positionMode: expected `one_way_mode` or `hedge_mode`, found \"hedge\"",
        "line 5, column 20: properties.copyTrading: expected true or false, found \"yes\"",
        "line 6, column 37: properties.copyTradingPairs[1]: expected a string, found a number",
        "line 7, column 20: properties.bindingTime: expected a time like 2026-01-31T00:00:00Z, found \"yesterday\"",
        "line 8, column 15: properties.colour: unknown property `colour`: expected `positionMode`, `copyTrading`, \
         `copyTradingPairs`, `whitelisted`, `bindingTime`, `vipLevel` or `rpiMarketMaker`",
        "line 12, column 47: instruments.SPOT.BTCUSDT.priceMultiplier: expected a decimal number, found \"a\"",
        "line 12, column 60: instruments.SPOT.BTCUSDT.tick: unknown property `tick`: expected `priceMultiplier`, \
         `pricePrecision`, `minOrderAmount`, `sizeMultiplier`, `sizePrecision` or `isReality`",
        "line 12, column 76: instruments.SPOT.ETHUSDT: expected an object, found an array",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn an_invalid_json_text_is_one_mistake() {
    for (text, line, column) in
        [("", 1, 1), ("{\n  \"name\": \"a\",\n}", 3, 1), ("{} {}", 1, 4), ("{\"name\": ä}", 1, 10)]
    {
        let Err(AccountFileError::Mistakes { path: None, mistakes }) = Account::from_json(text) else {
            panic!("{text}")
        };
        let places: Vec<_> = mistakes.iter().map(|mistake| (mistake.line, mistake.column)).collect();
        assert_eq!(places, [(line, column)], "{text}");
    }
    let error = Account::from_file("no-such-folder/account.json").unwrap_err();
    assert_eq!(error.to_string(), "no-such-folder/account.json cannot be read");
}

#[test]
fn the_documentation_shows_a_file_that_can_be_read() {
    let source = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../generated/src/account.rs")).unwrap();
    let (_, example) = source.split_once("```json\n").unwrap();
    let (example, _) = example.split_once("```").unwrap();
    let example: String = example.lines().map(|line| line.trim().trim_start_matches("///").to_owned() + "\n").collect();
    let account = Account::from_json(&example).unwrap();
    assert_eq!(account.as_ref().properties().count(), 7);
    assert_eq!(account.as_ref().instrument("LINE", "SYMBOL").unwrap().properties().count(), 5);
}

#[test]
fn serde_reads_and_writes_the_same_form() {
    let yaml = serde_yaml::to_string(&as_in_code()).unwrap();
    assert_eq!(serde_yaml::from_str::<Account>(&yaml).unwrap(), as_in_code());
    assert_eq!(serde_json::from_str::<Account>(FILE.replace("0.01", "\"0.01\"").as_str()).unwrap(), as_in_code());
    let error = serde_yaml::from_str::<Account>("{ properties: { positionMode: both }, instruments: 7 }").unwrap_err();
    let text = error.to_string();
    assert!(text.contains("properties.positionMode: expected") && text.contains("instruments: expected"), "{text}");
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(
        name in ".*",
        modes in prop::option::of(any::<bool>()),
        pairs in prop::option::of(prop::collection::vec(".*", 0..4)),
        since in prop::option::of(any::<u64>()),
        instruments in prop::collection::vec((".*", ".*", prop::option::of("-?[0-9]{1,12}(\\.[0-9]{1,9})?")), 0..5),
    ) {
        let mut account = Account::named(name);
        if let Some(is_hedged) = modes {
            let mode = if is_hedged { PositionMode::HedgeMode } else { PositionMode::OneWayMode };
            account = account.position_mode(mode).whitelisted(is_hedged);
        }
        account = pairs.into_iter().fold(account, Account::copy_trading_pairs);
        account = since.into_iter().fold(account, |account, at| account.binding_time(Timestamp::from_millis(at)));
        for (line, symbol, number) in instruments {
            let numbers = number.into_iter().map(|number| number.parse::<Decimal>().unwrap());
            let instrument = numbers.fold(Instrument::new(), Instrument::with_min_order_amount);
            account = account.instrument(line, symbol, instrument);
        }
        let text = account.to_json();
        prop_assert_eq!(Account::from_json(&text).unwrap(), account, "{}", text);
    }

    #[test]
    fn nothing_makes_the_reader_panic(text in "[{}\\[\\]:,\"a-z0-9 \n.-]*", at in any::<prop::sample::Index>(), with in ".{0,3}") {
        let _ = Account::from_json(&text);
        let at = at.index(FILE.len());
        let mut mangled = FILE.to_owned();
        mangled.insert_str(at, &with);
        let _ = Account::from_json(&mangled);
    }
}
