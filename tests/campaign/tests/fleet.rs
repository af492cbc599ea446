//! A short campaign of two fleets.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::thread;
use std::time::Duration;

use tradeapi_campaign::fleet::{Fleet, Lost, Trouble, run};

const REFUSING: &[Trouble] = &[Trouble::CutOffForSome, Trouble::Restart, Trouble::Late(20)];
const SHARING: &[Trouble] = &[Trouble::Late(60), Trouble::CutOff, Trouble::None];

#[test]
fn no_limit_is_exceeded_and_calls_continue_while_redis_fails() {
    let run = |(seed, lost, troubles)| {
        run(Fleet { seed, processes: 4, tasks: 3, lost, troubles, lasts: Duration::from_secs(5) })
    };
    let each = [(1, Lost::Refuses, REFUSING), (2, Lost::KeepsToItsShare, SHARING)];
    let all = thread::scope(|scope| each.map(|fleet| scope.spawn(move || run(fleet))).map(|run| run.join().unwrap()));
    for figures in all {
        let Some(figures) = figures.unwrap() else { continue };
        println!("{figures}");
        assert_eq!(figures.violations, []);
        assert!(figures.dropped > 0 && figures.rate.calls > 0);
    }
}
