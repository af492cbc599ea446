//! A short campaign with two fleets.

use std::thread;
use std::time::Duration;

use tradeapi_campaign::fleet::{Fleet, RedisFallback, RedisFault, run};

const FAULTS_WHEN_REFUSING: &[RedisFault] = &[RedisFault::CutOffForSome, RedisFault::Restart, RedisFault::Late(20)];
const FAULTS_WHEN_SHARING: &[RedisFault] = &[RedisFault::Late(60), RedisFault::CutOff, RedisFault::None];

#[test]
fn no_limit_is_exceeded_and_calls_continue_while_redis_fails() {
    let run = |(seed, fallback, faults)| {
        run(Fleet { seed, processes: 4, tasks: 3, fallback, faults, fault_duration: Duration::from_secs(5) })
    };
    let each =
        [(1, RedisFallback::Refuses, FAULTS_WHEN_REFUSING), (2, RedisFallback::KeepsToShare, FAULTS_WHEN_SHARING)];
    let all = thread::scope(|scope| each.map(|fleet| scope.spawn(move || run(fleet))).map(|run| run.join().unwrap()));
    for figures in all {
        let Some(figures) = figures.unwrap() else { continue };
        println!("{figures}");
        assert_eq!(figures.violations, []);
        assert!(figures.dropped > 0 && figures.rate.calls > 0);
    }
}
