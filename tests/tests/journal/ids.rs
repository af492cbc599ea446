//! Ids of concurrent and consecutive processes are different, even if processes have the same number, as in containers.

use std::collections::{BTreeMap, BTreeSet};
use std::process::{Command, Stdio};

use tradeapi::classic;
use tradeapi::unified::ClientOid;

/// The variable that is set in processes that mint.
const CHILD: &str = "TRADEAPI_TEST_MINTS";

/// The number of ids that a process mints for each family.
const MINTED: usize = 500;

#[test]
fn child() {
    if std::env::var_os(CHILD).is_none() {
        return;
    }
    for _ in 0..MINTED {
        println!("id {}", ClientOid::mint());
        println!("id {}", classic::ClientOid::mint());
    }
}

#[test]
fn no_two_processes_mint_the_same_id() {
    let mut all = BTreeSet::new();
    let mut by_process = BTreeMap::<String, usize>::new();
    for _ in 0..3 {
        let start = || {
            let mut command = Command::new(std::env::current_exe().unwrap());
            command.args(["ids::child", "--exact", "--nocapture"]).env(CHILD, "");
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()
        };
        let children: Vec<_> = (0..6).map(|_| start()).collect();
        for (index, child) in children.into_iter().enumerate() {
            let output = child.wait_with_output().unwrap();
            let text = String::from_utf8(output.stdout).unwrap();
            let ids: Vec<_> = text.lines().filter_map(|line| line.split_once("id ")).map(|(_, id)| id).collect();
            assert_eq!(ids.len(), 2 * MINTED, "process {index}: {text}");
            let parts: BTreeSet<_> = ids.iter().map(|id| id[9..17].to_owned()).collect();
            assert_eq!(parts.len(), 1, "a process has one number");
            *by_process.entry(parts.first().unwrap().clone()).or_default() += 1;
            all.extend(ids.into_iter().map(str::to_owned));
        }
    }
    assert_eq!(by_process.len(), 18, "two processes have the same number: {by_process:?}");
    assert_eq!(all.len(), 18 * 2 * MINTED);
}
