//! A nightly backfill: the fills of the last ninety days as lines of JSON, to which each run adds the fills since.
//!
//! `cargo run -p tradeapi --example backfill -- fills.jsonl` writes `fills.jsonl` and, beside it,
//! `fills.jsonl.position`: the length of the file, and the position that belongs to it. A run that is killed leaves a file
//! that is longer than that. The next run cuts it off there and goes on: no fill is lost, and none is there twice,
//! whenever a run is killed. Fills of the last ten minutes are left to the next run, because an exchange may show them
//! late. A page with a fill that cannot be read ends the run before it.

use std::fs::{File, OpenOptions, read_to_string, rename};
use std::io::{ErrorKind, Write};

use tradeapi::runtime::{json::write_json, pages::Position, value::days};
use tradeapi::{Client, RetryPolicy, Timestamp, unified::GetFillHistory};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let client = Client::from_env("TRADEAPI")?;
    let path = std::env::args().nth(1).ok_or("say where to write: backfill fills.jsonl")?;
    let mark = format!("{path}.position");
    let mut file = OpenOptions::new().create(true).append(true).open(&path)?;
    file.try_lock()?;
    let length = file.metadata()?.len();
    let fills = GetFillHistory::new().start_time(Timestamp::now() - days(90));
    let mut pages = client.pages(fills).settled().clip().retrying(RetryPolicy::new());
    match read_to_string(&mark) {
        Ok(text) => {
            let (saved, position) = text.split_once('\n').ok_or("the position is damaged")?;
            let saved = saved.parse().ok().filter(|saved| *saved <= length).ok_or("fills are missing in the file")?;
            pages = pages.resume(&position.parse()?)?;
            file.set_len(saved)?;
        }
        Err(error) if error.kind() == ErrorKind::NotFound && length == 0 => save(&mark, 0, pages.position())?,
        Err(error) => return Err(format!("{mark}, where {path} has {length} bytes: {error}").into()),
    }
    while let Some(page) = pages.next_page().await.transpose()? {
        page.clipped.iter().for_each(|clipped| eprintln!("{clipped}"));
        let fills = page.list.complete()?;
        fills.iter().try_for_each(|fill| writeln!(file, "{}", write_json(fill)))?;
        file.sync_data()?;
        save(&mark, file.metadata()?.len(), pages.position())?;
        println!("{} more fills", fills.len());
    }
    Ok(())
}

/// Replaces the position in one step, so that a killed run leaves the earlier one or this one.
fn save(mark: &str, length: u64, position: &Position) -> std::io::Result<()> {
    let mut next = File::create(format!("{mark}.new"))?;
    write!(next, "{length}\n{position}")?;
    next.sync_data()?;
    rename(format!("{mark}.new"), mark)
}
