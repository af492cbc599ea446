//! Commissions of a broker: the rebates of the last ninety days, by day and by referred user.
//!
//! `cargo run -p tradeapi --example commissions` prints them as CSV, and their sums at the end.

use std::collections::BTreeMap;
use std::error::Error;
use std::time::{Duration, SystemTime};

use rust_decimal::Decimal;
use tradeapi::broker::{Commission, GetAgentDirectCommissions};
use tradeapi::{Client, Credentials, Timestamp};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let client = client_from_environment()?;
    let now = SystemTime::now();
    let start = Timestamp::from(now - Duration::from_secs(90 * 24 * 60 * 60));
    // The documents allow thirty days a request; longer ranges are split, and `clip` moves a start that is too old.
    let mut pages = client.pages(GetAgentDirectCommissions::new().between(start, now).limit(1_000)).clip();
    let mut sums: BTreeMap<String, Decimal> = BTreeMap::new();
    println!("date,uid,symbol,amount,rebate,coin");
    while let Some(page) = pages.next_page().await {
        for commission in page?.list {
            let (uid, rebate) = (text(commission.uid.as_ref()), rebate(&commission)?);
            let (date, symbol) = (text(commission.date.as_ref()), text(commission.symbol.as_ref()));
            let (amount, coin) = (text(commission.deal_amount.as_ref()), text(commission.coin.as_ref()));
            println!("{date},{uid},{symbol},{amount},{rebate},{coin}");
            *sums.entry(format!("{uid} in {coin}")).or_default() += rebate;
        }
    }
    for (whose, sum) in sums {
        println!("Rebates of {whose}: {sum}");
    }
    Ok(())
}

fn text(value: Option<&impl ToString>) -> String {
    value.map(ToString::to_string).unwrap_or_default()
}

fn rebate(commission: &Commission) -> Result<Decimal, Box<dyn Error>> {
    let rebate = commission.rebate_amount.as_ref().map(tradeapi::Decimal::to_rust_decimal);
    Ok(rebate.transpose()?.unwrap_or_default())
}

/// The address and the keys, from the variables that the exchange prints.
fn client_from_environment() -> Result<Client, Box<dyn Error>> {
    let of = |name: &str| std::env::var(name).map_err(|_| format!("set {name}, as tradeapi-exchange prints it"));
    let keys = Credentials::new(of("TRADEAPI_KEY")?, of("TRADEAPI_SECRET")?, of("TRADEAPI_PASSPHRASE")?);
    Ok(Client::builder(of("TRADEAPI_URL")?).credentials(keys).build()?)
}
