//! The deployment of an account: connections and nodes of its exchange, and the thread of its client.

use std::time::Duration;

use tradeapi_exchange::Node;

use crate::assumptions::Assumption;
use crate::connections::ConnectionProfile;
use crate::ground_truth::Duplicates;
use crate::settings::Settings;
use crate::variant::ClientVariant;

/// The deployment of an account: what is the same for all of its requests.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deployment {
    pub(crate) profile: ConnectionProfile,
    pub(crate) nodes: &'static [Node],
    pub(crate) duplicates: Duplicates,
    /// True if the client runs on a single thread, which other work blocks now and then.
    pub(crate) is_busy: bool,
    /// The longest time until an accepted change is shown, and the longest delay of a node, in milliseconds.
    pub(crate) settling: u64,
    pub(crate) lag: u64,
    /// The clients of the account. Over sockets, there is always one.
    pub(crate) clients: Clients,
    /// True if the wall clock of the client's machine is set now and then.
    pub(crate) sets_clock: bool,
    /// True if the nodes of the exchange change.
    pub(crate) sets_nodes: bool,
    /// True if the exchange verifies signatures over the query as it was sent, and not over the decoded one.
    pub(crate) signs_as_sent: bool,
    /// True if the way of a request is as much longer as that of its answer is shorter.
    pub(crate) opposes_ways: bool,
    /// True if the account is made flat at the end, or all its orders are cancelled.
    pub(crate) is_ended: bool,
}

/// The clients of an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Clients {
    One,
    /// Two of one process.
    Two,
    /// One in each of two processes, which share their limits.
    TwoProcesses,
    /// One with a journal, whose process is killed and begun again.
    Killed,
}

const CLIENTS: [Clients; 11] = [
    Clients::One,
    Clients::One,
    Clients::Killed,
    Clients::One,
    Clients::Two,
    Clients::One,
    Clients::One,
    Clients::Killed,
    Clients::One,
    Clients::TwoProcesses,
    Clients::One,
];

/// The settling times of exchanges, in milliseconds.
const SETTLING: [u64; 3] = [9_000, 9_900, 3_000];

/// One node without mistakes.
const SINGLE: &[Node] = &[];

/// Some nodes show orders late.
pub(crate) const LAGGING: &[Node] =
    &[Node::new(2), Node::new(1).lagging(2_500), Node::new(1).lagging(7_500), Node::new(1).lagging(59_000)];

/// Some nodes show orders later than a client assumes.
const FAR_BEHIND: &[Node] = &[Node::new(1), Node::new(2).lagging(300_000)];

/// The longest time by which a node may show a change later than it is carried out, in milliseconds.
const LAG: u64 = 59_000;

/// Some nodes state a time that differs from the one that they check signatures by.
const WRONG_ANSWER_TIME: &[Node] = &[
    Node::new(4),
    Node::new(1).with_answer_time(45_000),
    Node::new(1).with_answer_time(3_600_000),
    Node::new(1).with_answer_time(-20_000),
];

/// Some nodes check signatures by a wrong clock, whose time they state.
pub(crate) const WRONG_CLOCK: &[Node] =
    &[Node::new(10), Node::new(3).ahead_by(20_000), Node::new(3).ahead_by(-20_000), Node::new(1).ahead_by(3_600_000)];

const fn profile(first: u64, jitter: u64, idle: Option<u64>, announces_idle: bool) -> ConnectionProfile {
    let idle = match idle {
        Some(idle) => Some(Duration::from_millis(idle)),
        None => None,
    };
    ConnectionProfile {
        first_delay: Duration::from_millis(first),
        jitter: Duration::from_millis(jitter),
        idle_timeout: idle,
        announces_idle,
    }
}

const PROFILES: [ConnectionProfile; 7] = [
    profile(0, 0, None, false),
    profile(250, 0, None, false),
    profile(0, 0, Some(60), false),
    profile(0, 20, None, false),
    profile(0, 0, Some(1_000), true),
    profile(120, 5, Some(300), false),
    profile(30, 30, None, false),
];
const NODES: [&[Node]; 5] = [SINGLE, LAGGING, WRONG_ANSWER_TIME, SINGLE, WRONG_CLOCK];
const DUPLICATES: [Duplicates; 4] = [
    Duplicates::AcceptedAndLatestShown,
    Duplicates::Refused,
    Duplicates::AcceptedAndFirstShown,
    Duplicates::RefusedWhileOpen,
];

fn nth<T: Copy, const N: usize>(all: &[T; N], number: u64) -> T {
    all[usize::try_from(number % N as u64).unwrap_or_default()]
}

impl Deployment {
    /// Returns a deployment of one node with a right clock, connections without delays, and a client that is never
    /// blocked.
    pub(crate) fn plain() -> Self {
        Self {
            profile: PROFILES[0],
            nodes: SINGLE,
            duplicates: DUPLICATES[0],
            is_busy: false,
            settling: SETTLING[0],
            lag: 0,
            clients: Clients::One,
            sets_clock: false,
            sets_nodes: false,
            signs_as_sent: false,
            opposes_ways: false,
            is_ended: false,
        }
    }

    /// Returns whether a node accepts signatures by a clock that is an hour ahead, at times.
    pub(crate) fn has_fast_node(&self) -> bool {
        self.sets_nodes || self.nodes == WRONG_CLOCK
    }

    /// Returns the deployment of an account, which depends on its number and on the seed.
    pub(crate) fn new(settings: &Settings, account: u64) -> Self {
        let number = account + settings.seed;
        let (profile, nodes) = (nth(&PROFILES, number), nth(&NODES, account / 2 + settings.seed));
        let duplicates = match settings.goes_beyond(Assumption::Duplicates) {
            true => Duplicates::RefusedWhileOpen,
            false => nth(&DUPLICATES, number + number / 3),
        };
        let plain = Self { is_ended: settings.variant.ends_wrongly(), ..Self::plain() };
        let settling = if settings.goes_beyond(Assumption::Settling) { 300_000 } else { nth(&SETTLING, number / 2) };
        let (nodes, lag) = if settings.goes_beyond(Assumption::Lag) { (FAR_BEHIND, 300_000) } else { (nodes, LAG) };
        // Beyond an assumption about other clients, every account has some.
        let clients = if settings.goes_beyond(Assumption::Ids) {
            Clients::TwoProcesses
        } else if settings.goes_beyond(Assumption::ClockError) {
            Clients::Killed
        } else {
            nth(&CLIENTS, number)
        };
        match settings.variant {
            ClientVariant::Correct => Self {
                profile,
                nodes,
                duplicates,
                is_busy: number % 4 == 3,
                settling,
                lag,
                clients,
                sets_clock: number % 6 == 1,
                sets_nodes: number % 13 == 5,
                // Where no text needs an escape, both readings of a query agree.
                signs_as_sent: number.is_multiple_of(4) && settings.escaped_suffix(account).is_empty(),
                opposes_ways: number % 9 == 4,
                is_ended: number.is_multiple_of(3),
            },
            ClientVariant::CountsWhenSent => Self { profile: PROFILES[1], ..plain },
            ClientVariant::TrustsOneNodesTime => Self { nodes: WRONG_ANSWER_TIME, ..plain },
            variant if variant.has_journal() => Self { clients: Clients::Killed, nodes: LAGGING, ..plain },
            _ => plain,
        }
    }
}
