//! Several processes use one limit to capacity, over Redis and over the files of a folder; one of them is killed or stopped.

use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::task::JoinSet;
use tradeapi::runtime::error::LimiterErrorKind;
use tradeapi::runtime::limits::{Limiter, RedisLimits};

use super::callers::{MAX_CALLS, PLACE, SECOND, SPAN, ask, call, failure_kind, make, most_in_any, ms, settings};
use super::members::files;
use super::server::Server;

/// The address of a Redis server, or a folder.
const STORE: &str = "TRADEAPI_TESTS_FLEET_STORE";
const PROCESSES: usize = 4;
const TASKS: usize = 3;
const CALLS_OF_A_TASK: usize = 5;

/// The code of each process, which is not a test by itself.
#[test]
fn one_of_several() {
    let Ok(store) = std::env::var(STORE) else { return };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        if !store.starts_with("redis") {
            return use_limits(files(Path::new(&store))).await;
        }
        let limits = RedisLimits::new(&store, settings()).unwrap();
        use_limits(limits.clone()).await;
        limits.flush().await;
    });
}

async fn use_limits(limits: impl Limiter + 'static) {
    let limits = Arc::new(limits);
    let mut tasks = JoinSet::new();
    for _ in 0..TASKS {
        let limits = Arc::clone(&limits);
        tasks.spawn(async move {
            for _ in 0..CALLS_OF_A_TASK {
                let (let_go, sent) = make(&*limits, call(PLACE), true).await.unwrap();
                println!("\nmade {} {}", let_go.as_micros(), sent.as_micros());
            }
        });
    }
    tasks.join_all().await;
}

/// Returns when calls were admitted, and when they were sent.
fn hammer(store: &str) -> (Vec<Duration>, Vec<Duration>) {
    let me = std::env::current_exe().unwrap();
    let start = || {
        let mut command = Command::new(&me);
        command.args(["--exact", "processes::one_of_several", "--nocapture"]).env(STORE, store);
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
    use_all_of_a_limit(&server.url(), |let_go| {
        assert!(most_in_any(let_go, SPAN) <= MAX_CALLS, "{let_go:?}");
    });
}

#[test]
fn processes_without_a_server_keep_one_limit_and_use_all_of_it() {
    let folder = tempfile::tempdir().unwrap();
    // Each process has a clock of its own for when it let a call go.
    use_all_of_a_limit(folder.path().to_str().unwrap(), |_| {});
}

fn use_all_of_a_limit(store: &str, check: impl Fn(&[Duration])) {
    let all = PROCESSES * TASKS * CALLS_OF_A_TASK;
    let mut best = 0.0_f64;
    // A machine that stalls makes the test slow, so it is repeated.
    for _ in 0..3 {
        let (let_go, sent) = hammer(store);
        assert_eq!(let_go.len(), all);
        check(&let_go);
        assert!(most_in_any(&sent, SECOND) <= MAX_CALLS, "{sent:?}");
        let took = *sent.iter().max().unwrap() - *sent.iter().min().unwrap();
        let spans = (all / MAX_CALLS - 1) as u32;
        best = best.max((SPAN * spans).as_secs_f64() / took.as_secs_f64());
        if best > 0.97 {
            return;
        }
    }
    panic!("only {best:.2} of the limit was used");
}

const HOLDS: &str = "TRADEAPI_TESTS_FLEET_HOLDS";

/// The code of a process that has every file of a folder locked until it ends, which is not a test by itself.
#[test]
fn one_that_holds_all_locks() {
    let Ok(folder) = std::env::var(HOLDS) else { return };
    let open = |entry: io::Result<fs::DirEntry>| File::options().write(true).open(entry.unwrap().path()).unwrap();
    let files: Vec<_> = fs::read_dir(folder).unwrap().map(open).collect();
    files.iter().for_each(|file| file.lock().unwrap());
    println!("\nlocked");
    std::thread::sleep(SECOND * 60);
}

/// A process that does not go on fails the calls of others in time, and none once it is killed.
#[tokio::test]
async fn a_process_that_has_the_files_locked_stops_others_only_while_it_lives() {
    let folder = tempfile::tempdir().unwrap();
    let limits = files(folder.path());
    make(&limits, call(PLACE), true).await.unwrap();
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "processes::one_that_holds_all_locks", "--nocapture"]).env(HOLDS, folder.path());
    let mut holder = command.stdout(Stdio::piped()).spawn().unwrap();
    let locked =
        BufReader::new(holder.stdout.take().unwrap()).lines().map_while(Result::ok).find(|line| line == "locked");
    assert!(locked.is_some());
    let begun = Instant::now();
    let denied = ask(&limits, call(PLACE), true).await;
    assert_eq!(failure_kind(denied), LimiterErrorKind::TooSlow);
    assert!(begun.elapsed() >= SECOND && begun.elapsed() < SECOND * 20, "{:?}", begun.elapsed());
    let waits = tokio::spawn(async move { make(&limits, call(PLACE), true).await.map(drop) });
    tokio::time::sleep(ms(100)).await;
    holder.kill().unwrap();
    holder.wait().unwrap();
    waits.await.unwrap().unwrap();
}
