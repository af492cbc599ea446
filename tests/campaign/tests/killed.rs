//! A process that is killed in the middle, again and again.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::path::Path;

use tradeapi_campaign::{Settings, Word, kill};

#[test]
fn a_killed_process_loses_and_doubles_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let settings = Settings { seed: 5, placements: 150, speed: 20, ..Settings::default() };
    let figures = kill(Path::new(env!("CARGO_BIN_EXE_tradeapi-campaign")), &settings, 4, folder.path()).unwrap();
    println!("{figures}");
    assert_eq!(figures.violations, []);
    // Four kills stop at most 80 orders before they leave, and some are refused.
    assert!(figures.count(Word::Happened) >= 40 && figures.count(Word::DidNot) > 0);
}
