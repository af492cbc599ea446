//! Checking of a valid order, compared with building, signing and writing its request.
//!
//! `cargo bench -p tradeapi-tests --bench check`

use std::error::Error;
use std::hint::black_box;

use measure::Race;
use tradeapi::runtime::checks::CheckContext;
use tradeapi::runtime::{CheckPolicy, Timestamp};
use tradeapi::unified::{Category, ClientOid, LimitExecution, PlaceOrder, PosSide, Side, TimeInForce};
use tradeapi::{Account, Client, Credentials, Decimal, Instrument, Operation, PositionMode};

mod measure;

fn main() -> Result<(), Box<dyn Error>> {
    let decimal = |text: &str| text.parse::<Decimal>();
    let execution = LimitExecution::new(decimal("3150.25")?).time_in_force(TimeInForce::Gtc);
    let order = PlaceOrder::new(Category::UsdtFutures, "ETHUSDT", decimal("0.75")?, Side::Buy, execution)
        .pos_side(PosSide::Long)
        .client_oid(ClientOid::new("desk-7:eth/open.001")?);

    let instrument = Instrument::new()
        .with_price_multiplier(decimal("0.01")?)
        .with_price_precision(2)
        .with_min_order_amount(decimal("0.01")?)
        .with_size_multiplier(decimal("0.01")?);
    let account = Account::new().position_mode(PositionMode::HedgeMode).rpi_market_maker(false).instrument(
        Category::UsdtFutures,
        "ETHUSDT",
        instrument,
    );
    let (unknown, policy) = (Account::new(), CheckPolicy::new());
    let check = |account: &Account| {
        let context = CheckContext {
            account: account.as_ref(),
            now: Some(Timestamp::from_millis(1_790_000_000_000)),
            policy: &policy,
            ..CheckContext::default()
        };
        let found = black_box(&order).inspect(context);
        assert!(found.is_empty(), "{found}");
    };
    let client = Client::builder("https://api.example.com").credentials(Credentials::new("k", "s", "p"));
    let client = client.checks(false).build()?;

    Race::new("check: a valid order, no properties of the account")
        .way("checking it", || check(&unknown))
        .way("building, signing and writing its request", || client.core().prepare(black_box(&order)))
        .run();
    Race::new("check: a valid order, with position mode and instrument")
        .way("checking it", || check(&account))
        .way("building, signing and writing its request", || client.core().prepare(black_box(&order)))
        .run();
    Ok(())
}
