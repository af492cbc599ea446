//! A short campaign of a fleet.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::thread;
use std::time::Duration;

use tradeapi_campaign::fleet::{Fleet, Lost, run};

#[test]
fn whatever_happens_to_redis_no_limit_is_exceeded_and_calls_go_on() {
    let run = |(seed, lost)| run(Fleet { seed, processes: 4, tasks: 3, lost, lasts: Duration::from_millis(2_500) });
    let each = [(1, Lost::Refuses), (2, Lost::KeepsToItsShare)];
    let all = thread::scope(|scope| each.map(|fleet| scope.spawn(move || run(fleet))).map(|run| run.join().unwrap()));
    for figures in all {
        let Some(figures) = figures.unwrap() else { continue };
        println!("{figures}");
        assert_eq!(figures.violations, []);
        assert!(figures.dropped > 0 && figures.rate.calls > 0);
    }
}
