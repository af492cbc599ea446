//! The file with what was spent: a line of JSON for each event, before the event is sent. Processes share it by locking
//! it for as long as they decide and write.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use super::book::{Book, Event, Sent, Terms};
use crate::data::json::{read_json, write_json};
use crate::data::tables::CountedIn;
use crate::data::value::{Decimal, Timestamp};

crate::record! {
    /// The stored form of an event.
    struct Line {
        #[wire("sent")]
        sent: Option<u64>,
        #[wire("at")]
        at: Option<Timestamp>,
        #[wire("amends")]
        amends: Option<u64>,
        #[wire("ids")]
        ids: Option<Vec<String>>,
        #[wire("family")]
        family: Option<String>,
        #[wire("line")]
        line: Option<String>,
        #[wire("symbol")]
        symbol: Option<String>,
        #[wire("counts")]
        counts: Option<String>,
        #[wire("atPrice")]
        is_bounded: Option<bool>,
        #[wire("reduces")]
        only_reduces: Option<bool>,
        #[wire("quantity")]
        quantity: Option<Decimal>,
        #[wire("price")]
        price: Option<Decimal>,
        #[wire("named")]
        named: Option<u64>,
        #[wire("id")]
        id: Option<String>,
        #[wire("notDone")]
        not_done: Option<u64>,
        #[wire("flat")]
        is_flat: Option<bool>,
    }
}

impl Line {
    fn of(event: &Event) -> Self {
        match event.clone() {
            Event::Sent(Sent { number, at, amends, ids, terms, quantity, price }) => {
                let Terms { family, line, symbol, counts, is_bounded, only_reduces } = terms;
                Self {
                    sent: Some(number),
                    at: Some(at),
                    amends,
                    ids: Some(ids),
                    family: Some(family),
                    line: Some(line),
                    symbol: Some(symbol),
                    counts: Some(counts.as_str().to_owned()),
                    is_bounded: Some(is_bounded),
                    only_reduces: Some(only_reduces),
                    quantity: Some(quantity),
                    price: Some(price),
                    ..Self::default()
                }
            }
            Event::Named { number, id } => Self { named: Some(number), id: Some(id), ..Self::default() },
            Event::NotDone { number } => Self { not_done: Some(number), ..Self::default() },
            Event::Flat => Self { is_flat: Some(true), ..Self::default() },
        }
    }

    /// Returns the event; `None` if the line is not one.
    fn event(self) -> Option<Event> {
        if let Some(number) = self.sent {
            return Some(Event::Sent(Sent {
                number,
                at: self.at?,
                amends: self.amends,
                ids: self.ids?,
                terms: Terms {
                    family: self.family?,
                    line: self.line?,
                    symbol: self.symbol?,
                    counts: CountedIn::parse(&self.counts?)?,
                    is_bounded: self.is_bounded?,
                    only_reduces: self.only_reduces?,
                },
                quantity: self.quantity?,
                price: self.price?,
            }));
        }
        if let Some(number) = self.named {
            return Some(Event::Named { number, id: self.id? });
        }
        match (self.not_done, self.is_flat) {
            (Some(number), _) => Some(Event::NotDone { number }),
            (None, Some(true)) => Some(Event::Flat),
            (None, _) => None,
        }
    }
}

/// The file, which is read up to a place.
#[derive(Debug)]
pub(super) struct Log {
    file: File,
    read: u64,
}

impl Log {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
        Ok(Self { file, read: 0 })
    }

    /// Decides by the book, which has all events of the file meanwhile, and stores the events of the decision.
    pub(super) fn decide<T>(
        &mut self,
        book: &mut Book,
        decide: impl FnOnce(&mut Book) -> (T, Vec<Event>),
    ) -> Result<T, String> {
        self.file.lock().map_err(|error| error.to_string())?;
        let decided = self.catch_up(book).and_then(|()| {
            let (decision, events) = decide(book);
            self.append(book, events).map(|()| decision)
        });
        // The lock ends with the process at the latest.
        let _ = self.file.unlock();
        decided
    }

    /// Reads what other processes wrote. A line without an end was being written when its process was killed, before
    /// anything was sent.
    fn catch_up(&mut self, book: &mut Book) -> Result<(), String> {
        let failed = |error: io::Error| error.to_string();
        if self.file.metadata().map_err(failed)?.len() < self.read {
            return Err("it is shorter than before".to_owned());
        }
        self.file.seek(SeekFrom::Start(self.read)).map_err(failed)?;
        let mut text = String::new();
        self.file.read_to_string(&mut text).map_err(failed)?;
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        for line in text[..whole].lines() {
            let event = read_json::<Line>(line).ok().and_then(Line::event);
            book.apply(event.ok_or_else(|| format!("it has a line that is not an event: {line:.60}"))?);
            self.read += line.len() as u64 + 1;
        }
        if whole < text.len() {
            self.file.set_len(self.read).map_err(failed)?;
        }
        Ok(())
    }

    fn append(&mut self, book: &mut Book, events: Vec<Event>) -> Result<(), String> {
        if events.is_empty() {
            return Ok(());
        }
        let lines: String = events.iter().map(|event| write_json(&Line::of(event)) + "\n").collect();
        self.file.write_all(lines.as_bytes()).map_err(|error| error.to_string())?;
        self.read += lines.len() as u64;
        events.into_iter().for_each(|event| book.apply(event));
        Ok(())
    }
}
