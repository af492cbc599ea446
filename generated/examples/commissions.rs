//! Commissions of a broker: the rebates of the last ninety days, and their sums by referred user and coin.

use std::collections::BTreeMap;
use std::error::Error;

use tradeapi::broker::GetAgentDirectCommissions;
use tradeapi::runtime::value::days;
use tradeapi::{Client, Decimal, Timestamp, dec};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let client = Client::from_env("TRADEAPI")?;
    let now = Timestamp::now();
    // The documents allow thirty days a request; longer ranges are split, and `clip` moves a start that is too old.
    let commissions = GetAgentDirectCommissions::new().between(now - days(90), now).limit(1_000);
    let mut pages = client.pages(commissions).clip();
    println!("{:<10} {:<12} {:<6} rebate", "date", "user", "coin");
    let mut sums: BTreeMap<(String, String), Decimal> = BTreeMap::new();
    while let Some(page) = pages.next_page().await {
        // A sum without a commission that cannot be read would be wrong.
        for commission in page?.list.complete()? {
            if let (Some(uid), Some(rebate)) = (commission.uid, commission.rebate_amount) {
                let date = commission.date.unwrap_or_default();
                let coin = commission.coin.map_or_else(String::new, |coin| coin.to_string());
                println!("{date:<10} {uid:<12} {coin:<6} {rebate}");
                let sum = sums.entry((uid.to_string(), coin)).or_insert(dec!(0));
                *sum += rebate;
            }
        }
    }
    for ((uid, coin), sum) in sums {
        println!("Rebates of {uid}: {sum} {coin}");
    }
    Ok(())
}
