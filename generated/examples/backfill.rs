//! A backfill: the fills of the last ninety days as CSV, with progress, resumed where a killed run stopped.
//!
//! `cargo run -p tradeapi --example backfill -- fills.csv` writes `fills.csv` and, beside it, `fills.csv.position`.
//! The position is written after the fills of its page: a run that is killed in between repeats one page, and no fill
//! is lost.

use std::error::Error;
use std::fs::{File, OpenOptions, read_to_string, write};
use std::io::Write;
use std::time::{Duration, SystemTime};

use tradeapi::runtime::pages::Position;
use tradeapi::runtime::retry::RetryPolicy;
use tradeapi::unified::{Fill, GetFillHistory};
use tradeapi::{Client, Credentials, Timestamp};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let client = client_from_environment()?;
    let path = std::env::args().nth(1).ok_or("say where to write: backfill fills.csv")?;
    let mark = format!("{path}.position");

    let (start, position) = match read_to_string(&mark) {
        Ok(text) => {
            let (start, position) = text.split_once('\n').ok_or_else(|| format!("{mark} is damaged: delete it"))?;
            (Timestamp::from_millis(start.parse()?), Some(position.trim_end().parse::<Position>()?))
        }
        Err(_) => (ninety_days_ago(), None),
    };
    let pages = client.pages(GetFillHistory::new().start_time(start)).clip().retrying(RetryPolicy::new());
    let mut pages = match &position {
        Some(position) => pages.resume(position)?,
        None => {
            writeln!(File::create(&path)?, "execId,orderId,clientOid,category,symbol,side,price,qty")?;
            pages
        }
    };
    let mut csv = OpenOptions::new().append(true).open(&path)?;
    let mut count = 0;
    while let Some(page) = pages.next_page().await {
        let page = page?;
        csv.write_all(page.list.iter().map(row).collect::<String>().as_bytes())?;
        csv.sync_data()?;
        write(&mark, format!("{}\n{}\n", start.as_millis(), pages.position()))?;
        count += page.list.len();
        println!("{count} fills");
    }
    println!("Done: {path} has {count} more fills.");
    Ok(())
}

/// The address and the keys, from the variables that the exchange prints.
fn client_from_environment() -> Result<Client, Box<dyn Error>> {
    let of = |name: &str| std::env::var(name).map_err(|_| format!("set {name}, as tradeapi-exchange prints it"));
    let keys = Credentials::new(of("TRADEAPI_KEY")?, of("TRADEAPI_SECRET")?, of("TRADEAPI_PASSPHRASE")?);
    Ok(Client::builder(of("TRADEAPI_URL")?).credentials(keys).build()?)
}

/// A minute short of ninety days, so that the request is within reach when it arrives.
fn ninety_days_ago() -> Timestamp {
    (SystemTime::now() - Duration::from_secs(90 * 24 * 60 * 60 - 60)).into()
}

fn row(fill: &Fill) -> String {
    fn text(value: Option<&impl ToString>) -> String {
        value.map(ToString::to_string).unwrap_or_default()
    }
    let columns = [
        text(fill.exec_id.as_ref()),
        text(fill.order_id.as_ref()),
        text(fill.client_oid.as_ref()),
        text(fill.category.as_ref()),
        text(fill.symbol.as_ref()),
        text(fill.side.as_ref()),
        text(fill.exec_price.as_ref()),
        text(fill.exec_qty.as_ref()),
    ];
    columns.join(",") + "\n"
}
