//! A backfill: the fills of the last ninety days as lines of JSON, resumed where a killed run stopped.
//!
//! `cargo run -p tradeapi --example backfill -- fills.jsonl` writes `fills.jsonl` and, beside it,
//! `fills.jsonl.position`. The position is written after the fills of its page: a run that is killed in between repeats
//! one page, and no fill is lost.

use std::error::Error;
use std::fs::{OpenOptions, read_to_string, write};
use std::io::Write;

use tradeapi::runtime::{json::write_json, pages::Position, retry::RetryPolicy, value::days};
use tradeapi::unified::GetFillHistory;
use tradeapi::{Client, Timestamp};

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
        Err(_) => ((Timestamp::now() - days(90)).as_millis(), None),
    };
    let fills = GetFillHistory::new().start_time(Timestamp::from_millis(start));
    let mut pages = client.pages(fills).clip().retrying(RetryPolicy::new());
    if let Some(position) = position {
        pages = pages.resume(&position)?;
    }
    let mut file = OpenOptions::new().create(true).append(true).open(&path)?;
    while let Some(page) = pages.next_page().await {
        let page = page?;
        page.list.iter().try_for_each(|fill| writeln!(file, "{}", write_json(fill)))?;
        file.sync_data()?;
        write(&mark, format!("{start}\n{}", pages.position()))?;
        println!("{} more fills", page.list.len());
    }
    Ok(())
}
