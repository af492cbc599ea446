//! What the exchanges of a campaign are like, and where their clients run.

use std::time::Duration;

use tradeapi_exchange::Node;

use crate::book::Duplicates;
use crate::line::Line;

use crate::conduct::Conduct;
use crate::settings::Settings;

/// What is the same for all requests of an account.
#[derive(Clone, Copy, Debug)]
pub(crate) struct World {
    pub(crate) line: Line,
    pub(crate) nodes: &'static [Node],
    pub(crate) duplicates: Duplicates,
    /// Whether the client has one thread for itself, which is busy with something else now and then.
    pub(crate) is_busy: bool,
}

/// One machine that is always right.
const ONE: &[Node] = &[];

/// Some show orders late.
const LAGGING: &[Node] = &[Node::new(2), Node::new(1).lagging(2_500), Node::new(1).lagging(7_500)];

/// Some state another time than the one that signatures are judged by.
const TELLING_OTHERWISE: &[Node] = &[
    Node::new(4),
    Node::new(1).with_answer_time(45_000),
    Node::new(1).with_answer_time(3_600_000),
    Node::new(1).with_answer_time(-20_000),
];

/// Some judge signatures by another clock, whose time they state.
const JUDGING_OTHERWISE: &[Node] =
    &[Node::new(10), Node::new(3).ahead_by(20_000), Node::new(3).ahead_by(-20_000), Node::new(1).ahead_by(3_600_000)];

const fn line(first: u64, jitter: u64, idle: Option<u64>, tells_idle: bool) -> Line {
    let idle = match idle {
        Some(idle) => Some(Duration::from_millis(idle)),
        None => None,
    };
    Line { first: Duration::from_millis(first), jitter: Duration::from_millis(jitter), idle, tells_idle }
}

const LINES: [Line; 7] = [
    line(0, 0, None, false),
    line(250, 0, None, false),
    line(0, 0, Some(60), false),
    line(0, 20, None, false),
    line(0, 0, Some(1_000), true),
    line(120, 5, Some(300), false),
    line(30, 30, None, false),
];
const NODES: [&[Node]; 5] = [ONE, LAGGING, TELLING_OTHERWISE, ONE, JUDGING_OTHERWISE];
const DUPLICATES: [Duplicates; 3] =
    [Duplicates::TakenAndLatestShown, Duplicates::Refused, Duplicates::TakenAndFirstShown];

fn turn<T: Copy, const N: usize>(all: &[T; N], number: u64) -> T {
    all[usize::try_from(number % N as u64).unwrap_or_default()]
}

impl World {
    /// One in which nothing but answers goes wrong.
    pub(crate) fn plain() -> Self {
        Self { line: LINES[0], nodes: ONE, duplicates: DUPLICATES[0], is_busy: false }
    }

    /// Every account has another, and every few accounts have all there is.
    pub(crate) fn of(settings: &Settings, account: u64) -> Self {
        let number = account + settings.seed;
        let (line, nodes) = (turn(&LINES, number), turn(&NODES, account / 2 + settings.seed));
        let duplicates = turn(&DUPLICATES, number + number / 3);
        let plain = Self::plain();
        match settings.conduct {
            Conduct::Careful => Self { line, nodes, duplicates, is_busy: number % 4 == 3 },
            Conduct::CountsWhenLetGo => Self { line: LINES[1], ..plain },
            Conduct::BelievesOneNodesTime => Self { nodes: TELLING_OTHERWISE, ..plain },
            _ => plain,
        }
    }
}
