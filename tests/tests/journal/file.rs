//! The folder of a journal: across restarts, torn writes, releases and processes.

use std::fs;
use std::path::Path;

use fjall::{Database, KeyspaceCreateOptions};
use tradeapi::Timestamp;
use tradeapi::runtime::error::JournalError;
use tradeapi::runtime::journal::{
    Change, ChangeNumber, Durability, Ending, FileJournal, Journal, JournalFuture, LOST, Selection, StoredChange,
    signed_since,
};
use tradeapi::runtime::tables::Outcome;
use tradeapi_exchange::{Exchange, Seed};

use crate::{all, copy, cut, journal, log, order, read, written};

fn change(number: u64) -> Change {
    Change::new("a.b", format!("{{\"id\":\"{number}\"}}"), Timestamp::from_millis(number))
}

async fn begin(journal: &FileJournal, number: u64) -> ChangeNumber {
    journal.begin(change(number)).await.unwrap()
}

#[tokio::test]
async fn numbers_continue_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let first = {
        let journal = journal(folder.path());
        let first = begin(&journal, 1).await;
        journal.end(first, Ending::new(Outcome::NotDone).code("40762")).await.unwrap();
        begin(&journal, 2).await;
        first
    };
    let journal = journal(folder.path());
    let third = begin(&journal, 3).await;
    let numbers: Vec<_> = all(&*journal).iter().map(|stored| stored.number).collect();
    assert_eq!(numbers, [first, ChangeNumber(2), third]);
    assert_eq!(all(&*journal)[0].ending, Some(Ending::new(Outcome::NotDone).code("40762")));
    assert_eq!(read(&*journal, Selection::Open).len(), 2);
    assert_eq!(read(&*journal, Selection::After(first)).len(), 2);
    assert_eq!(journal.prune(Timestamp::from_millis(1)).unwrap(), 0, "it was signed then, not before");
    assert_eq!(journal.prune(Timestamp::from_millis(100)).unwrap(), 1);
    let operations: Vec<_> = all(&*journal).into_iter().map(|stored| stored.change.operation).collect();
    assert_eq!(operations, ["a.b", "a.b", LOST], "it notes that changes were pruned");
    assert_eq!(journal.prune(Timestamp::from_millis(100)).unwrap(), 0);
    assert_eq!(journal.gap(""), None, "what was pruned is not missing");
}

/// With and without open changes: a reused number would replace an earlier outcome.
#[tokio::test]
async fn a_number_is_never_reused() {
    let folder = tempfile::tempdir().unwrap();
    for run in 1..=3 {
        let journal = journal(folder.path());
        let number = begin(&journal, run).await;
        assert_eq!(number, ChangeNumber(run));
        journal.end(number, Ending::new(Outcome::Done)).await.unwrap();
    }
    assert_eq!(
        all(&*journal(folder.path())).iter().map(|stored| stored.change.clone()).collect::<Vec<_>>(),
        [change(1), change(2), change(3)]
    );
    assert_eq!(journal(folder.path()).prune(Timestamp::from_millis(100)).unwrap(), 3);
    let journal = journal(folder.path());
    assert_eq!(begin(&journal, 4).await, ChangeNumber(5), "although the others were pruned, which is a change as well");
    assert_eq!(journal.gap(""), None);
}

/// Changes stored there would be lost with the process.
#[tokio::test]
async fn a_deleted_or_replaced_folder_accepts_no_changes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    for is_replaced in [false, true] {
        let open = journal(folder.path());
        begin(&open, 1).await;
        fs::remove_dir_all(&path).unwrap();
        if is_replaced {
            drop(journal(folder.path()));
        }
        let error = open.begin(change(2)).await.unwrap_err();
        assert!(error.to_string().contains("deleted, moved or replaced while it was open"), "{error}");
        drop(open);
    }
}

/// A note of the end of such a journal would count as the end of the one that is there now.
#[tokio::test]
async fn a_journal_whose_folder_was_replaced_notes_nothing_there() {
    let folder = tempfile::tempdir().unwrap();
    let open = journal(folder.path());
    begin(&open, 1).await;
    fs::rename(open.path(), folder.path().join("moved")).unwrap();
    begin(&journal(folder.path()), 1).await;
    drop(open);
    assert_eq!(journal(folder.path()).gap(""), None);
    let open = journal(folder.path());
    fs::remove_dir_all(open.path()).unwrap();
    assert!(open.close_gap("").await.is_err());
}

#[test]
fn a_folder_with_other_files_is_not_changed() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("notes.txt"), "mine").unwrap();
    let error = FileJournal::open(folder.path(), Durability::Process).unwrap_err();
    assert!(matches!(error, JournalError::NotOpened { .. }), "{error}");
    assert!(error.to_string().contains("something else is in the folder; use a folder of its own"), "{error}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    // A folder cannot be created below a file.
    let error = FileJournal::open(folder.path().join("notes.txt/journal"), Durability::Process).unwrap_err();
    assert!(matches!(error, JournalError::NotOpened { .. }), "{error}");
}

/// Each file of the store is damaged in turn: a flipped bit, truncated, emptied or deleted. Whatever is read was
/// written, and whatever cannot be read is an error.
#[tokio::test]
async fn damage_is_an_error_or_loses_the_end_and_never_alters_a_change() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    {
        let journal = journal(folder.path());
        for number in 1..=6 {
            let number = begin(&journal, number).await;
            if number.0 % 2 == 0 {
                journal.end(number, Ending::new(Outcome::Done)).await.unwrap();
            }
        }
    }
    let log = log(&path);
    // Preallocated space is not copied.
    cut(&path, written(&path));
    let bytes = fs::read(&log).unwrap();
    let mut damages: Vec<Option<Vec<u8>>> = vec![None, Some(Vec::new())];
    for at in (0..bytes.len()).step_by(31) {
        let mut flipped = bytes.clone();
        flipped[at] ^= 1 << (at % 8);
        damages.extend([Some(flipped), Some(bytes[..at].to_vec())]);
    }
    for damage in damages {
        match &damage {
            Some(bytes) => fs::write(&log, bytes).unwrap(),
            None => fs::remove_file(&log).unwrap(),
        }
        let copied = folder.path().join("copied");
        let _ = fs::remove_dir_all(&copied);
        copy(&path, &copied);
        is_the_same(&path, &copied);
        match FileJournal::open(&copied, Durability::Process) {
            Ok(journal) => {
                let kept = all(&journal).len();
                assert_eq!(journal.gap("").is_some(), kept < 6, "{kept} of 6 changes are left");
                for stored in all(&journal) {
                    assert_eq!(stored.change, change(stored.number.0));
                    assert!(stored.ending.is_none() || stored.number.0 % 2 == 0);
                }
            }
            Err(JournalError::Damaged { .. }) => {}
            Err(other) => panic!("{other}"),
        }
    }
}

/// Has a copy of a journal pass for the journal itself.
fn is_the_same(journal: &Path, copied: &Path) {
    fs::remove_file(copied.join("lock")).unwrap();
    fs::hard_link(journal.join("lock"), copied.join("lock")).unwrap();
}

#[tokio::test]
async fn a_known_outcome_is_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let journal = journal(folder.path());
    let number = begin(&journal, 1).await;
    for outcome in [Outcome::Unknown, Outcome::Done, Outcome::NotDone] {
        journal.end(number, Ending::new(outcome)).await.unwrap();
    }
    assert_eq!(all(&*journal)[0].ending, Some(Ending::new(Outcome::Done)));
    journal.end(ChangeNumber(99), Ending::new(Outcome::Done)).await.unwrap();
    assert_eq!(all(&*journal).len(), 1);
}

/// The store cannot open the files of a process that was killed while it created them.
#[test]
fn an_incomplete_store_of_a_killed_process_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let half = folder.path().join(".journal.4711");
    fs::create_dir(&half).unwrap();
    fs::write(half.join("0.jnl"), "").unwrap();
    drop(journal(folder.path()));
    let other = folder.path().join("empty");
    fs::create_dir(&other).unwrap();
    FileJournal::open(&other, Durability::Process).unwrap();
}

/// The next process removes what one left that was killed while it made the journal, and never what another one is
/// making.
#[cfg(unix)]
#[test]
fn journals_that_were_left_unfinished_are_removed() {
    const FOLDER: &str = "TRADEAPI_TEST_OPEN";
    const TEST: &str = "file::journals_that_were_left_unfinished_are_removed";
    if let Some(folder) = std::env::var_os(FOLDER) {
        let opened = FileJournal::open(folder, Durability::Process);
        assert!(matches!(opened, Ok(_) | Err(JournalError::InUse { .. })), "{opened:?}");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let open = |path: &Path| {
        let mut command = std::process::Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", TEST]).env(FOLDER, path).stdout(std::process::Stdio::piped());
        command.spawn().unwrap()
    };
    let names = || {
        let entries = fs::read_dir(folder.path()).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect::<Vec<_>>()
    };
    let mut left = 0;
    for wait in (0..40).map(|step| std::time::Duration::from_micros(400 * step)) {
        let path = folder.path().join("journal");
        let mut child = open(&path);
        // From the moment it has begun.
        while names().is_empty() && child.try_wait().unwrap().is_none() {
            std::thread::yield_now();
        }
        std::thread::sleep(wait);
        child.kill().unwrap();
        child.wait().unwrap();
        left += usize::from(names().iter().any(|name| name.starts_with('.')));
        drop(FileJournal::open(&path, Durability::Process).unwrap());
        assert_eq!(names(), ["journal"]);
        fs::remove_dir_all(path).unwrap();
    }
    assert!(left > 0, "none was killed while it made the journal");
    // Many make the same journal at once: one has it, and the others find it in use.
    for round in 0..3 {
        let path = folder.path().join(format!("shared-{round}"));
        let children: Vec<_> = (0..6).map(|_| open(&path)).collect();
        for child in children {
            let output = child.wait_with_output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        }
        assert_eq!(names().len(), round + 1, "{:?}", names());
    }
}

/// The changes that are read do not depend on how they are read.
#[tokio::test]
async fn parts_of_a_journal_are_those_of_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    let journal = journal(folder.path());
    for number in 1..=100 {
        let begun = begin(&journal, 1_000 * number).await;
        if number % 7 != 0 {
            journal.end(begun, Ending::new(Outcome::Done)).await.unwrap();
        }
    }
    assert_eq!(journal.prune(Timestamp::from_millis(30_500)).unwrap(), 26);
    let whole = all(&*journal);
    assert_eq!(whole.len(), 75);
    let journals: [&dyn Journal; 2] = [&*journal, &Default(journal.clone())];
    for journal in journals {
        for most in [1, 3, 50, 1_000] {
            let (mut up, mut down) = (Vec::new(), Vec::new());
            let mut at = ChangeNumber(0);
            loop {
                let part = journal.read_after(at, most).await.unwrap();
                assert!(part.len() <= most);
                let Some(last) = part.last() else { break };
                at = last.number;
                up.extend(part);
            }
            at = ChangeNumber(u64::MAX);
            loop {
                let mut part = journal.read_before(at, most).await.unwrap();
                assert!(part.len() <= most);
                let Some(first) = part.first() else { break };
                at = first.number;
                part.extend(down);
                down = part;
            }
            assert_eq!((&up, &down), (&whole, &whole), "in parts of {most}");
        }
        let since = signed_since(journal, Timestamp::from_millis(90_000)).await.unwrap();
        assert_eq!(since.iter().map(|stored| stored.number.0).collect::<Vec<_>>(), (90..=100).collect::<Vec<_>>());
    }
}

/// A journal of a program that has the required functions only.
struct Default(std::sync::Arc<FileJournal>);

impl Journal for Default {
    fn begin(&self, change: Change) -> JournalFuture<'_, ChangeNumber> {
        self.0.begin(change)
    }

    fn end(&self, number: ChangeNumber, ending: Ending) -> JournalFuture<'_, ()> {
        self.0.end(number, ending)
    }

    fn read(&self, which: Selection) -> JournalFuture<'_, Vec<StoredChange>> {
        self.0.read(which)
    }
}

#[test]
fn a_second_journal_in_the_folder_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let first = journal(folder.path());
    let error = FileJournal::open(first.path(), Durability::Process).unwrap_err();
    assert!(matches!(error, JournalError::InUse { .. }), "{error:?}");
    assert!(error.to_string().contains("is in use"));
}

#[test]
fn another_format_is_refused_and_not_changed() {
    let folder = tempfile::tempdir().unwrap();
    drop(journal(folder.path()));
    let path = folder.path().join("journal");
    let set = |format: &str| {
        let database = Database::builder(&path).open().unwrap();
        let about = database.keyspace("about", KeyspaceCreateOptions::default).unwrap();
        about.insert("format", format).unwrap();
    };
    set("9");
    let error = FileJournal::open(&path, Durability::Process).unwrap_err();
    assert!(matches!(&error, JournalError::Format { found, .. } if found == "9"), "{error:?}");
    set("1");
    assert!(FileJournal::open(&path, Durability::Process).is_ok());
}

/// A crash of the machine may leave any prefix of the written data. Each prefix has its complete changes.
#[tokio::test]
async fn a_torn_write_loses_no_earlier_change() {
    let folder = tempfile::tempdir().unwrap();
    let mut lengths = Vec::new();
    {
        let journal = journal(folder.path());
        for number in 1..=3 {
            begin(&journal, number).await;
            lengths.push(written(journal.path()));
        }
    }
    let whole = folder.path().join("journal");
    // Preallocated space is not copied.
    cut(&whole, lengths[2]);
    for length in (lengths[0]..=lengths[2]).step_by(7) {
        let torn = folder.path().join("torn");
        let _ = fs::remove_dir_all(&torn);
        copy(&whole, &torn);
        cut(&torn, length);
        let journal = FileJournal::open(&torn, Durability::Process).unwrap();
        let kept = all(&journal).len();
        let most = lengths.iter().filter(|whole| **whole <= length).count();
        assert!(kept == most || kept + 1 == most, "{kept} of {most} changes at {length}");
        assert_eq!(begin(&journal, 9).await.0, 4, "the number of a change that is missing is given again");
    }
}

#[tokio::test]
async fn many_changes_share_the_disk() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    let journal = std::sync::Arc::new(FileJournal::open(&path, Durability::Machine).unwrap());
    let mut tasks = tokio::task::JoinSet::new();
    for number in 1..=200 {
        let journal = journal.clone();
        tasks.spawn(async move { begin(&journal, number).await });
    }
    let mut numbers: Vec<_> = tasks.join_all().await.into_iter().map(|number| number.0).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=200).collect::<Vec<_>>());
    drop(journal);
    assert_eq!(all(&FileJournal::open(&path, Durability::Machine).unwrap()).len(), 200);
}

#[tokio::test]
async fn secrets_are_not_stored() {
    let (folder, exchange) = (tempfile::tempdir().unwrap(), Exchange::new(Seed(7)));
    let (key, secret, passphrase) = ("canary-key-481", "canary-secret-482", "canary-passphrase-483");
    let client = tradeapi::Client::builder("http://127.0.0.1")
        .credentials(tradeapi::Credentials::new(key, secret, passphrase))
        .transport(exchange.clone())
        .clock(exchange.time().clone())
        .journal(journal(folder.path()))
        .build()
        .unwrap();
    client.unified().place_order(&order("an-id-484")).await.unwrap_err();
    drop(client);
    let mut found = false;
    let mut folders = vec![folder.path().join("journal")];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                folders.push(entry);
                continue;
            }
            let bytes = fs::read(entry).unwrap();
            let has = |text: &str| bytes.windows(text.len()).any(|window| window == text.as_bytes());
            assert!(!has(key) && !has(secret) && !has(passphrase) && !has("access-sign"));
            found |= has("an-id-484");
        }
    }
    assert!(found);
}

/// A limit on file sizes simulates a full disk: stored changes stay, and no more are accepted.
#[cfg(unix)]
#[tokio::test]
async fn a_full_disk_is_an_error_and_loses_nothing() {
    const FOLDER: &str = "TRADEAPI_TEST_FULL_DISK";
    if let Some(folder) = std::env::var_os(FOLDER) {
        let journal = FileJournal::open(folder, Durability::Process).unwrap();
        for number in 1.. {
            let large = Change::new("a.b", "x".repeat(1 << 20), Timestamp::from_millis(number));
            if let Err(error) = journal.begin(large).await {
                println!("stored {} {error}", number - 1);
                assert!(journal.begin(change(1)).await.is_err(), "accepted after a failure");
                break;
            }
        }
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    drop(FileJournal::open(&path, Durability::Process).unwrap());
    // In blocks of 512 bytes: slightly more than the store preallocates.
    let shell = "trap '' XFSZ; ulimit -f $((66 * 2048)); exec \"$0\" --exact file::a_full_disk_is_an_error_and_loses_nothing --nocapture";
    let program = std::env::current_exe().unwrap();
    let mut command = std::process::Command::new("sh");
    let output = command.args(["-c", shell]).arg(program).env(FOLDER, &path).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    let stored: usize = text.split_once("stored ").unwrap().1.split(' ').next().unwrap().parse().unwrap();
    let journal = FileJournal::open(&path, Durability::Process).unwrap();
    let kept = all(&journal).len();
    assert!(stored > 0 && (kept == stored || kept == stored + 1), "{kept} of {stored}: {text}");
    journal.begin(change(1)).await.unwrap();
}

/// Changes are stored in about the order of their signatures, of which either clock may be right.
#[tokio::test]
async fn changes_since_a_time_are_found_behind_many_earlier_ones() {
    let folder = tempfile::tempdir().unwrap();
    let journal = journal(folder.path());
    let by_signature = begin(&journal, 1_000_000).await;
    let mut made_later = change(1);
    made_later.made_at = Some(Timestamp::from_millis(1_000_000));
    let by_the_machine = journal.begin(made_later).await.unwrap();
    for _ in 0..3_000 {
        begin(&journal, 900_000).await;
    }
    let since = signed_since(&*journal, Timestamp::from_millis(950_000)).await.unwrap();
    let numbers: Vec<_> = since.iter().map(|stored| stored.number).collect();
    assert_eq!(numbers, [by_signature, by_the_machine]);
}
