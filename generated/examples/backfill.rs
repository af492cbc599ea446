//! A backfill: the fills of the last ninety days as lines of JSON, resumed where a killed run stopped.
//!
//! `cargo run -p tradeapi --example backfill -- fills.jsonl` writes `fills.jsonl` and, beside it,
//! `fills.jsonl.position`. The position replaces the earlier one after the fills of its page are on the disk: a run that
//! is killed in between leaves one page to be repeated, and no fill is lost. A page with a fill that cannot be read ends
//! the run before it.

use std::error::Error;
use std::fs::{File, OpenOptions, read_to_string, rename};
use std::io::{ErrorKind, Write};

use tradeapi::runtime::{json::write_json, pages::Position, value::days};
use tradeapi::unified::GetFillHistory;
use tradeapi::{Client, RetryPolicy, Timestamp};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let client = Client::from_env("TRADEAPI")?;
    let path = std::env::args().nth(1).ok_or("say where to write: backfill fills.jsonl")?;
    let mark = format!("{path}.position");
    let (start, position) = match read_to_string(&mark) {
        Ok(text) => {
            let (start, position) = text.split_once('\n').ok_or("the position is damaged: delete its file")?;
            (start.parse()?, Some(position.parse::<Position>()?))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => ((Timestamp::now() - days(90)).as_millis(), None),
        Err(error) => return Err(error.into()),
    };
    let fills = GetFillHistory::new().start_time(Timestamp::from_millis(start));
    let mut pages = client.pages(fills).clip().retrying(RetryPolicy::new());
    if let Some(position) = position {
        pages = pages.resume(&position)?;
    }
    let mut file = OpenOptions::new().create(true).append(true).open(&path)?;
    while let Some(page) = pages.next_page().await {
        let fills = page?.list.complete()?;
        fills.iter().try_for_each(|fill| writeln!(file, "{}", write_json(fill)))?;
        file.sync_data()?;
        let mut next = File::create(format!("{mark}.new"))?;
        write!(next, "{start}\n{}", pages.position())?;
        next.sync_data()?;
        rename(format!("{mark}.new"), &mark)?;
        println!("{} more fills", fills.len());
    }
    Ok(())
}
