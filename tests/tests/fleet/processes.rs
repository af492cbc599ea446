//! Several processes use one limit to capacity.

use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;
use tradeapi::runtime::limits::RedisLimits;

use super::callers::{MAX_CALLS, PLACE, SECOND, SPAN, call, make, most_in_any, settings};
use super::server::Server;

const URL: &str = "TRADEAPI_TESTS_FLEET_URL";
const PROCESSES: usize = 4;
const TASKS: usize = 3;
const CALLS_OF_A_TASK: usize = 5;

/// The code of each process, which is not a test by itself.
#[test]
fn one_of_several() {
    let Ok(url) = std::env::var(URL) else { return };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let limits = Arc::new(RedisLimits::new(&url, settings()).unwrap());
        let mut tasks = JoinSet::new();
        for _ in 0..TASKS {
            let limits = Arc::clone(&limits);
            tasks.spawn(async move {
                for _ in 0..CALLS_OF_A_TASK {
                    let (let_go, sent) = make(&limits, call(PLACE), true).await.unwrap();
                    println!("\nmade {} {}", let_go.as_micros(), sent.as_micros());
                }
            });
        }
        tasks.join_all().await;
        limits.flush().await;
    });
}

/// When calls were admitted, and when they were sent.
fn hammer(server: &Server) -> (Vec<Duration>, Vec<Duration>) {
    let me = std::env::current_exe().unwrap();
    let start = || {
        let mut command = Command::new(&me);
        command.args(["--exact", "processes::one_of_several", "--nocapture"]).env(URL, server.url());
        command.stdout(Stdio::piped()).spawn().unwrap()
    };
    let processes: Vec<_> = (0..PROCESSES).map(|_| start()).collect();
    let mut moments = Vec::new();
    for process in processes {
        let output = process.wait_with_output().unwrap();
        assert!(output.status.success());
        for line in String::from_utf8(output.stdout).unwrap().lines().filter_map(|line| line.strip_prefix("made ")) {
            let (let_go, sent) = line.split_once(' ').unwrap();
            moments.push([let_go, sent].map(|micros| Duration::from_micros(micros.parse().unwrap())).into());
        }
    }
    moments.into_iter().unzip()
}

#[test]
fn processes_keep_one_limit_and_use_all_of_it() {
    let Some(server) = Server::start() else { return };
    let all = PROCESSES * TASKS * CALLS_OF_A_TASK;
    let mut best = 0.0_f64;
    // A machine that stalls makes the test slow, so it is repeated once.
    for _ in 0..3 {
        let (let_go, sent) = hammer(&server);
        assert_eq!(let_go.len(), all);
        assert!(most_in_any(&let_go, SPAN) <= MAX_CALLS, "{let_go:?}");
        assert!(most_in_any(&sent, SECOND) <= MAX_CALLS, "{sent:?}");
        let took = *let_go.iter().max().unwrap() - *let_go.iter().min().unwrap();
        let spans = (all / MAX_CALLS - 1) as u32;
        best = best.max((SPAN * spans).as_secs_f64() / took.as_secs_f64());
        if best > 0.97 {
            return;
        }
    }
    panic!("only {best:.2} of the limit was used");
}
