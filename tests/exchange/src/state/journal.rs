//! The journal: all input of the exchange with its answers, as JSON lines. The core is deterministic, so a replay
//! restores the state with the same answers; a format for the state itself would repeat every structure and could not be
//! checked.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::net::IpAddr;

use bytes::Bytes;
use http::Request;
use serde::{Deserialize, Serialize};

use crate::state::accounts::Profile;
use crate::state::faults::{Conditions, Fault};
use crate::state::journal_entry::{RecordedAnswer, RecordedRequest};
use crate::state::setup::Setup;
use crate::state::values::Price;
use crate::state::words::{Family, Line, Mode, Side};

/// The number of written lines that are kept in memory for readers.
const MAX_KEPT: usize = 10_000;

/// The most rules that are counted. There are fewer, but some ids contain names from requests.
const MAX_RULES: usize = 1_000;

/// The first line: the setup, and the start time.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Head {
    /// The version of the format.
    journal: u32,
    begun: u64,
    /// The speed of the clock then; zero if it stood still.
    #[serde(default = "usual_speed")]
    speed: u32,
    setup: Setup,
}

fn usual_speed() -> u32 {
    1
}

const VERSION: u32 = 1;

/// Any other line.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct JournalLine {
    /// The time of the exchange.
    pub(crate) at: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) request: Option<RecordedRequest>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) answer: Option<RecordedAnswer>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) action: Option<Action>,
}

/// An action on the exchange, other than a request.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Action {
    /// An observation of the state, which lets time pass.
    Look,
    Fill {
        order: String,
        qty: Price,
    },
    /// The speed of the clock, which stands still if it is zero.
    Clock {
        speed: u32,
    },
    Price {
        symbol: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        line: Option<Line>,
        price: Price,
    },
    Suspend {
        symbol: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        line: Option<Line>,
        is_suspended: bool,
    },
    /// The price of the latest trade, without the quotes of others.
    Last {
        symbol: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        line: Option<Line>,
        price: Price,
    },
    /// A mark price of its own, or none.
    Mark {
        symbol: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        line: Option<Line>,
        price: Option<Price>,
    },
    /// The quotes of other participants, each a price and a quantity; none of them lets others quote again.
    Book {
        line: Line,
        symbol: String,
        quotes: Option<[Vec<(Price, Price)>; 2]>,
    },
    /// An order of another participant; without a price, at the market.
    Other {
        line: Line,
        symbol: String,
        side: Side,
        price: Option<Price>,
        qty: Price,
    },
    Balance {
        user: u64,
        family: Family,
        coin: String,
        amount: Price,
    },
    Mode {
        user: u64,
        mode: Mode,
    },
    Permissions {
        user: u64,
        permissions: Option<Vec<String>>,
    },
    Fault(Fault),
    ClearFaults,
    Conditions(Conditions),
    Open(Box<Profile>),
    Reset,
}

/// The journal of an exchange.
#[derive(Clone, Debug, Default)]
pub(crate) struct Journal {
    /// All lines, or the latest of those written to a file. The first line is the head.
    kept: VecDeque<String>,
    /// The number of dropped lines, and of lines written to a file.
    gone: usize,
    written: usize,
}

impl Journal {
    pub(crate) fn new(setup: &Setup, begun: u64, speed: u32) -> Self {
        let head = to_json(&Head { journal: VERSION, begun, speed, setup: setup.clone() });
        Self { kept: VecDeque::from([head]), ..Self::default() }
    }

    pub(crate) fn push(&mut self, line: &JournalLine) {
        self.kept.push_back(to_json(line));
    }

    /// Returns the lines that have not been written yet. Of the written lines, only the latest are kept.
    pub(crate) fn take_unwritten(&mut self) -> String {
        let text = self.lines(self.written);
        self.written = self.gone + self.kept.len();
        while self.kept.len() > MAX_KEPT {
            self.kept.pop_front();
            self.gone += 1;
        }
        text
    }

    /// Returns the lines after the first `from`, as far as they are kept.
    pub(crate) fn lines(&self, from: usize) -> String {
        let lines = self.kept.iter().skip(from.saturating_sub(self.gone));
        lines.flat_map(|line| [line.as_str(), "\n"]).collect()
    }
}

fn to_json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// Adds one to the count of a rule.
pub(crate) fn count_rule(counts: &mut BTreeMap<String, u64>, rule: &str) {
    if let Some(count) = counts.get_mut(rule) {
        *count += 1;
    } else if counts.len() < MAX_RULES {
        counts.insert(rule.to_owned(), 1);
    }
}

/// The reason why a journal cannot be replayed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReplayError {
    /// A line cannot be read.
    Unreadable {
        /// The number of the line, from 1.
        line: usize,
        /// The reason.
        why: String,
    },
    /// A request was answered differently.
    Differs {
        /// The number of the line, from 1.
        line: usize,
        /// The recorded answer.
        recorded: String,
        /// The answer of the replay.
        replayed: String,
    },
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable { line, why } => write!(f, "line {line} of the journal: {why}"),
            Self::Differs { line, recorded, replayed } => {
                write!(
                    f,
                    "line {line} of the journal: the answer differs\n  recorded: {recorded}\n  replayed: {replayed}"
                )
            }
        }
    }
}

impl std::error::Error for ReplayError {}

/// Returns the last line of a journal, if it is torn, because the program ended while it was written. A replay leaves
/// it out.
pub fn torn_line(journal: &str) -> Option<&str> {
    let last = journal.rsplit('\n').next().filter(|last| !last.is_empty())?;
    serde_json::from_str::<serde::de::IgnoredAny>(last).is_err().then_some(last)
}

/// A parsed journal: its setup, and its lines with their numbers.
pub(crate) struct ParsedJournal {
    pub(crate) begun: u64,
    pub(crate) speed: u32,
    pub(crate) setup: Setup,
    pub(crate) lines: Vec<(usize, JournalLine)>,
}

impl ParsedJournal {
    pub(crate) fn read(text: &str) -> Result<Self, ReplayError> {
        let text = &text[..text.len() - torn_line(text).unwrap_or_default().len()];
        let unreadable = |line: usize, why: String| ReplayError::Unreadable { line, why };
        let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let (_, first) = lines.next().ok_or_else(|| unreadable(1, "the journal is empty".to_owned()))?;
        let head: Head = serde_json::from_str(first).map_err(|error| unreadable(1, error.to_string()))?;
        if head.journal != VERSION {
            let why = format!("version {} of the format, expected {VERSION}", head.journal);
            return Err(unreadable(1, why));
        }
        let read = |(index, text): (usize, &str)| {
            let line = serde_json::from_str(text).map_err(|error| unreadable(index + 1, error.to_string()))?;
            Ok((index + 1, line))
        };
        let lines = lines.map(read).collect::<Result<_, _>>()?;
        Ok(Self { begun: head.begun, speed: head.speed, setup: head.setup, lines })
    }

    /// Returns the speed of the clock at the end; a reset returns to that of the start.
    pub(crate) fn last_speed(&self) -> u32 {
        let of_line = |line: &JournalLine| match line.action {
            Some(Action::Clock { speed }) => Some(speed),
            Some(Action::Reset) => Some(self.speed),
            _ => None,
        };
        self.lines.iter().rev().find_map(|(_, line)| of_line(line)).unwrap_or(self.speed)
    }
}

impl JournalLine {
    pub(crate) fn of_action(at: u64, action: Action) -> Self {
        Self { at, request: None, answer: None, action: Some(action) }
    }

    pub(crate) fn of_request(at: u64, request: RecordedRequest, answer: RecordedAnswer) -> Self {
        Self { at, request: Some(request), answer: Some(answer), action: None }
    }

    /// Returns the request, if it is complete, and its sender.
    pub(crate) fn request(&self) -> Option<(Request<Bytes>, IpAddr)> {
        let recorded = self.request.as_ref()?;
        Some((recorded.request()?, recorded.address))
    }
}

impl RecordedAnswer {
    /// Fails if another answer was recorded.
    pub(crate) fn expect(&self, line: usize, replayed: &Self) -> Result<(), ReplayError> {
        if self == replayed {
            return Ok(());
        }
        Err(ReplayError::Differs { line, recorded: to_json(self), replayed: to_json(replayed) })
    }
}
