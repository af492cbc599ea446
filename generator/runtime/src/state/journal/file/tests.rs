//! A journal accepts nothing after a failure that no test can cause from outside.
#![allow(clippy::unwrap_used, reason = "a test that fails panics")]

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Waker};
use std::thread;

use super::tables::{Draft, remove_abandoned};
use super::*;

fn change(number: u64) -> Change {
    Change::new("a.b", "{}", Timestamp::from_millis(number))
}

/// Returns the result of a future that may wait for the disk.
fn wait<T>(mut future: JournalFuture<'_, T>) -> Result<T, JournalError> {
    loop {
        match future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            std::task::Poll::Ready(result) => return result,
            std::task::Poll::Pending => thread::yield_now(),
        }
    }
}

/// Checks that nothing is written, but what there is can be read.
fn accepts_nothing(journal: &FileJournal, open: usize) {
    for _ in 0..2 {
        let error = wait(journal.begin(change(9))).unwrap_err();
        assert!(error.to_string().contains("an earlier write failed"), "{error}");
        let error = wait(journal.end(ChangeNumber(1), Ending::new(Outcome::Done))).unwrap_err();
        assert!(error.to_string().contains("open it again and recover"), "{error}");
    }
    assert_eq!(wait(journal.read(Selection::Open)).unwrap().len(), open);
}

#[test]
fn nothing_is_accepted_after_a_failed_sync_until_the_journal_is_opened_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    let mut journal = FileJournal::open(&path, Durability::Machine).unwrap();
    let fails = Arc::new(AtomicBool::new(false));
    let disk = Arc::clone(&fails);
    let sync = move || match disk.load(Ordering::Acquire) {
        true => Err(fjall::Error::Io(io::Error::other("the disk is gone"))),
        false => Ok(()),
    };
    journal.disk = Some(SyncThread::start(sync).unwrap());
    wait(journal.begin(change(1))).unwrap();
    fails.store(true, Ordering::Release);
    assert!(wait(journal.begin(change(2))).is_err(), "a change that the disk does not have");
    fails.store(false, Ordering::Release);
    // The second change is there, and was not sent.
    accepts_nothing(&journal, 2);
    drop(journal);
    let journal = FileJournal::open(&path, Durability::Machine).unwrap();
    assert_eq!(wait(journal.begin(change(3))).unwrap(), ChangeNumber(3));
}

#[test]
fn nothing_is_accepted_after_a_failed_write_and_the_journal_does_not_count_as_closed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    let journal = FileJournal::open(&path, Durability::Process).unwrap();
    wait(journal.begin(change(1))).unwrap();
    let failure = fjall::Error::Io(io::Error::other("no space is left"));
    assert!(journal.checked::<()>(Err(failure)).is_err());
    accepts_nothing(&journal, 1);
    drop(journal);
    let run = path.join("run");
    let text = std::fs::read_to_string(&run).unwrap();
    assert!(text.contains("\"process\""), "{text}");
    std::fs::write(&run, text.replace("\"boot\":\"", "\"boot\":\"another-")).unwrap();
    let journal = FileJournal::open(&path, Durability::Process).unwrap();
    assert_eq!(journal.gap("").unwrap().reason, super::super::GapReason::MachineStopped);
}

/// A draft that is removed was abandoned, also while others make drafts.
#[test]
fn a_draft_is_its_makers_until_it_is_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    let ends = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !ends.load(Ordering::Acquire) {
                    remove_abandoned(&path);
                }
            });
        }
        let makers = [(); 2].map(|()| {
            scope.spawn(|| {
                let kept = (0..5_000).filter(|_| {
                    let draft = Draft::of(&path).unwrap();
                    thread::yield_now();
                    std::fs::write(draft.path().join("table"), "").is_ok()
                });
                kept.count()
            })
        });
        let kept = makers.map(|maker| maker.join().unwrap_or_default());
        ends.store(true, Ordering::Release);
        assert_eq!(kept, [5_000; 2]);
    });
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// A forked process has the memory of its parent, and the same files open.
#[test]
fn a_forked_process_is_refused_and_leaves_the_journal_to_its_parent() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    for durability in [Durability::Process, Durability::Machine] {
        let mut journal = FileJournal::open(&path, durability).unwrap();
        let number = wait(journal.begin(change(1))).unwrap();
        journal.process = journal.process.of_parent();
        let is_refused = |result: Result<(), JournalError>| {
            assert!(matches!(&result, Err(JournalError::Forked { .. })), "{result:?}");
        };
        is_refused(wait(journal.begin(change(2))).map(drop));
        is_refused(wait(journal.end(number, Ending::new(Outcome::Done))));
        is_refused(wait(journal.end_items(number, vec![ItemEnding::new(0, Outcome::Done)])));
        is_refused(wait(journal.read(Selection::Open)).map(drop));
        is_refused(wait(journal.read(Selection::After(ChangeNumber(0)))).map(drop));
        is_refused(wait(journal.read_before(number, 1)).map(drop));
        is_refused(wait(journal.claim("", "me")).map(drop));
        is_refused(wait(journal.claim_again("", "me")));
        is_refused(wait(journal.close_gap("")));
        is_refused(journal.prune(Timestamp::from_millis(9)).map(drop));
        assert_eq!(journal.gap("").unwrap().reason, GapReason::Forked);
        drop(journal);
        let run = std::fs::read_to_string(path.join("run")).unwrap();
        assert!(!run.contains("closed"), "the child noted the end of its parent's run: {run}");
        std::fs::remove_dir_all(&path).unwrap();
    }
}
