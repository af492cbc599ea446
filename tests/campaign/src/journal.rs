//! The changes that a process stores before it sends a request, so that the next process can query them.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Mutex;

use tradeapi::Timestamp;
use tradeapi::runtime::tables::Outcome;

/// An append-only file of lines.
#[derive(Debug)]
pub(crate) struct Journal(Mutex<File>);

/// One order of the journal, with its stored outcome.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// The kind of order.
    pub(crate) kind: String,
    pub(crate) signed_at: Timestamp,
    pub(crate) outcome: Outcome,
}

impl Journal {
    /// Opens or creates a journal.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let mut file = OpenOptions::new().append(true).create(true).open(path)?;
        // A killed process may have left an incomplete line.
        file.write_all(b"\n")?;
        Ok(Self(Mutex::new(file)))
    }

    /// Reads the journal at `path`. The keys are the ids of the orders.
    pub(crate) fn read(path: &Path) -> io::Result<BTreeMap<String, Entry>> {
        let text = std::fs::read_to_string(path)?;
        let mut entries = BTreeMap::new();
        for line in text.lines() {
            match line.split(' ').collect::<Vec<_>>().as_slice() {
                ["sent", kind, id, signed_at] => {
                    let Ok(signed_at) = signed_at.parse() else { continue };
                    let (kind, signed_at) = ((*kind).to_owned(), Timestamp::from_millis(signed_at));
                    entries.insert((*id).to_owned(), Entry { kind, signed_at, outcome: Outcome::Unknown });
                }
                ["known", id, outcome] => {
                    if let Some(entry) = entries.get_mut(*id) {
                        entry.outcome = if *outcome == "done" { Outcome::Done } else { Outcome::NotDone };
                    }
                }
                _ => {}
            }
        }
        Ok(entries)
    }

    /// Stores the ids of a request before it is sent. They are on the disk when this returns.
    pub(crate) fn sent(&self, kind: &str, ids: &[String], signed_at: Timestamp) -> io::Result<()> {
        let lines = ids.iter().map(|id| format!("sent {kind} {id} {}\n", signed_at.as_millis()));
        self.write(&lines.collect::<String>())
    }

    /// Stores the outcome of an order, if it is known.
    pub(crate) fn known(&self, id: &str, outcome: Outcome) -> io::Result<()> {
        match outcome {
            Outcome::Done => self.write(&format!("known {id} done\n")),
            Outcome::NotDone => self.write(&format!("known {id} not-done\n")),
            Outcome::Unknown => Ok(()),
        }
    }

    fn write(&self, text: &str) -> io::Result<()> {
        let mut file = self.0.lock().map_err(|_| io::Error::other("another task panicked"))?;
        file.write_all(text.as_bytes())?;
        file.sync_data()
    }
}
