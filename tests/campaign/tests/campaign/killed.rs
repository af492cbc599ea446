//! A short campaign with a process that is killed repeatedly.

use std::path::Path;

use tradeapi_campaign::{ClaimedOutcome, Settings, kill};

#[test]
fn killed_processes_neither_lose_nor_double_orders() {
    let folder = tempfile::tempdir().unwrap();
    let settings = Settings { seed: 5, placements: 150, speed: 20, ..Settings::default() };
    let figures = kill(Path::new(env!("CARGO_BIN_EXE_tradeapi-campaign")), &settings, 4, folder.path()).unwrap();
    println!("{figures}");
    assert_eq!(figures.violations, []);
    // Four kills prevent at most 80 orders, and some are refused.
    assert!(figures.count(ClaimedOutcome::Done) >= 40 && figures.count(ClaimedOutcome::NotDone) > 0);
}
