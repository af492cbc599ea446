//! Where requests are looked at one by one: counted, verified, understood, and answered.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use serde_json::Value;
use tradeapi_sandbox::{Answer, Request};

use crate::answer;
use crate::arrivals::Arrivals;
use crate::book::Book;
use crate::change::{Change, Name};
use crate::codes::{self, Proof};
use crate::counts::{Counts, Rate, Reached};
use crate::dice::Dice;
use crate::exchange::Settings;
use crate::fault::Fault;
use crate::listing;
use crate::node;
use crate::operation::{Deed, Family, Listed, Operation};
use crate::quirk::Quirk;
use crate::signature;
use crate::spoil;
use crate::telling::Telling;

/// How far the time of a signature may be from the exchange's, in milliseconds.
pub(crate) const WINDOW: u64 = 30_000;

/// The desk of one account.
#[derive(Debug)]
pub(crate) struct Desk {
    pub(crate) settings: Settings,
    pub(crate) book: Book,
    pub(crate) counts: Counts,
    arrivals: BTreeMap<(Family, &'static str), (Arrivals, usize)>,
    /// How often each question and each change was seen, for what goes wrong the next time is another matter.
    seen: HashMap<String, u64>,
    /// The data of the latest good answers, to be mixed up with others.
    pub(crate) latest: HashMap<(Family, &'static str), Value>,
    /// The latest good answer to a change, which may come a second time though nobody asks for it.
    last: Option<Answer>,
    /// The connections that have brought something.
    connections: HashSet<usize>,
    /// What was just said not to be there although it is.
    denied: HashSet<String>,
    /// The requests with which something went wrong, by what they are about.
    hit: BTreeSet<String>,
}

impl Desk {
    pub(crate) fn new(settings: Settings) -> Self {
        let book = Book::new(settings.duplicates);
        Self {
            settings,
            book,
            counts: Counts::default(),
            arrivals: BTreeMap::new(),
            seen: HashMap::new(),
            latest: HashMap::new(),
            last: None,
            connections: HashSet::new(),
            denied: HashSet::new(),
            hit: BTreeSet::new(),
        }
    }

    pub(crate) fn now(&self) -> u64 {
        self.settings.clock.now()
    }

    pub(crate) fn counts(&self) -> Counts {
        let rate = |(arrivals, allowed): &(Arrivals, usize)| Rate {
            calls: arrivals.count(),
            most: arrivals.most(),
            allowed: *allowed,
            beyond: arrivals.beyond(*allowed),
        };
        let calls = self.arrivals.iter().map(|(operation, arrivals)| (*operation, rate(arrivals))).collect();
        let mut counts = Counts { calls, ..self.counts.clone() };
        let in_book = self.book.counts();
        for (what, times) in [
            (Reached::CameAfterAll, in_book.came_after_all),
            (Reached::Twin, in_book.twins),
            (Reached::RefusedTwin, in_book.refused_twins),
            (Reached::AmendedWithoutChange, in_book.without_change),
            (Reached::Forgotten, in_book.forgotten),
            (Reached::ShownLate, in_book.late),
        ] {
            counts.reach(what, times);
        }
        counts
    }

    pub(crate) fn listed(&mut self, family: Family, listed: Listed) -> Vec<String> {
        let now = self.now();
        self.book.advance(now);
        self.book.listed(family, listed, now).map(|order| order.order_id.clone()).collect()
    }

    /// Lets all pass that is still to come.
    pub(crate) fn close(&mut self) {
        self.book.advance(u64::MAX);
    }

    pub(crate) fn hit(&self) -> BTreeSet<String> {
        self.hit.clone()
    }

    pub(crate) fn calm(&mut self) {
        (self.settings.faults, self.settings.quirks, self.settings.nodes) = (0, 0, node::ONE);
    }

    pub(crate) fn serve(&mut self, request: &Request) -> Answer {
        if let Some(operation) = Operation::find(&request.method, &request.path) {
            let arrivals = self.arrivals.entry((operation.family, operation.name)).or_default();
            arrivals.0.note(self.settings.clock.real());
            arrivals.1 = operation.per_second;
        }
        self.serve_uncounted(request)
    }

    /// Answers a request that does not count against rate limits.
    pub(crate) fn serve_uncounted(&mut self, request: &Request) -> Answer {
        let now = self.now();
        let Some(operation) = Operation::find(&request.method, &request.path) else {
            return self.refuse(format!("{} {} is no operation", request.method, request.path));
        };
        if self.connections.insert(request.connection) && !self.settings.line.first.is_zero() {
            self.counts.reach(Reached::LateFirstRequest, 1);
        }
        self.book.advance(now);
        let signed_at = match signature::verify(request, &self.settings.secret) {
            Ok(signed_at) => signed_at,
            Err(why) => return self.refuse(format!("{}: {why}", operation.name)),
        };
        let answer = match operation.deed {
            Deed::Detail => self.detail(operation, request, signed_at),
            Deed::List(listed) => self.list(operation, listed, request, signed_at),
            Deed::Place | Deed::Amend | Deed::Cancel => match Change::all(operation, request) {
                Some(changes) => self.change(operation, changes, signed_at),
                None => self.refuse(format!("{}: {}", operation.name, request.text())),
            },
        };
        match self.settings.line.keep_alive() {
            Some(told) => answer.header("keep-alive", &told),
            None => answer,
        }
    }

    /// How a request is answered, by what it is about and how often that was seen.
    pub(crate) fn telling(&mut self, operation: &Operation, about: &str) -> Telling {
        let key = format!("{:?} {} {about}", operation.family, operation.name);
        let times = self.seen.entry(key.clone()).or_default();
        *times += 1;
        let key = format!("{key} {times}");
        let mut dice = Dice::new(self.settings.seed, &key);
        let chance = if operation.reads() { self.settings.faults / 2 } else { self.settings.faults };
        let is_spared = self.settings.only.as_ref().is_some_and(|only| !only.contains(&key));
        let fault = match dice.percent(chance) {
            _ if is_spared => Fault::None,
            true => Fault::throw(operation, &mut dice),
            false if self.is_in_burst(about) && dice.percent(50) => Fault::TooManyTold,
            false => Fault::None,
        };
        if fault != Fault::None {
            self.hit.insert(key);
        }
        let (quirk, node) =
            (Quirk::throw(self.settings.quirks, &mut dice), node::throw(self.settings.nodes, &mut dice));
        *self.counts.faults.entry(fault).or_default() += 1;
        *self.counts.quirks.entry(quirk).or_default() += 1;
        self.counts.reach(Reached::AnotherNode, u64::from(!node.is_right()));
        Telling { family: operation.family, fault, quirk, node, dice, now: self.now() }
    }

    /// Ids that differ in their last character belong to calls that come together.
    fn is_in_burst(&self, about: &str) -> bool {
        let stem = about.get(..about.len().saturating_sub(1)).unwrap_or_default();
        self.settings.faults > 0 && Dice::new(self.settings.seed, &format!("burst {stem}")).below(1000) < 4
    }

    /// Refuses what was signed too long ago or ahead of time, by the clock of the machine.
    pub(crate) fn stale(&mut self, telling: &mut Telling, signed_at: u64) -> Option<Answer> {
        let judged_at = telling.now.saturating_add_signed(telling.node.judges);
        let is_good_by = |time: u64| time.abs_diff(signed_at) <= WINDOW;
        // Whatever a machine thinks, nothing arrives after its signature has run out.
        if is_good_by(judged_at) && telling.now <= signed_at + WINDOW {
            return None;
        }
        if is_good_by(telling.now) {
            self.counts.reach(Reached::JudgedByWrongClock, 1);
        } else {
            self.counts.stale += 1;
        }
        let body = telling.refusal(Proof::Timestamp);
        Some(telling.quirk.around(Answer::json(body), self.last.as_ref(), &mut telling.dice))
    }

    fn detail(&mut self, operation: &Operation, request: &Request, signed_at: u64) -> Answer {
        let query = listing::query_of(request);
        let Some(name) = Name::of(&query) else { return self.refuse(format!("{}: {query}", operation.name)) };
        let mut telling = self.telling(operation, name.id());
        if let Some(answer) = self.stale(&mut telling, signed_at) {
            return answer;
        }
        let (now, fault) = (telling.now, telling.fault);
        let order = self.book.seen(operation.family, &name, now, telling.node.lag);
        let is_denied = match fault {
            Fault::Hidden => order.as_ref().is_some_and(|order| now < order.settled()),
            // Not twice in a row: who asks again is told.
            Fault::FalseAbsence => order.is_some() && self.denied.insert(name.id().to_owned()),
            _ => false,
        };
        if !is_denied {
            self.denied.remove(name.id());
        }
        match order.filter(|_| !is_denied) {
            Some(order) => {
                let number = telling.quirk.number(&mut telling.dice);
                self.answer(operation, &mut telling, answer::record(&order, number))
            }
            None if is_denied && fault == Fault::FalseAbsence => {
                let body = telling.envelope(codes::UNSURE_ABSENCE, &Value::Null);
                self.spoiled(operation, &mut telling, body)
            }
            None => {
                let body = telling.refusal(Proof::NoSuchOrder);
                self.spoiled(operation, &mut telling, body)
            }
        }
    }

    fn list(&mut self, operation: &Operation, listed: Listed, request: &Request, signed_at: u64) -> Answer {
        let query = listing::query_of(request);
        let mut telling = self.telling(operation, &query.to_string());
        if let Some(answer) = self.stale(&mut telling, signed_at) {
            return answer;
        }
        let data = listing::page(self, operation, listed, &query, telling.fault);
        self.answer(operation, &mut telling, data)
    }

    /// The answer of a success, or what goes wrong with it.
    pub(crate) fn answer(&mut self, operation: &Operation, telling: &mut Telling, data: Value) -> Answer {
        let mut body = telling.envelope("00000", &data);
        let other = self.latest.insert((operation.family, operation.name), data);
        if telling.fault == Fault::MixedUp {
            body = other.map_or(String::new(), |other| telling.envelope("00000", &other));
        }
        self.spoiled(operation, telling, body)
    }

    pub(crate) fn spoiled(&mut self, operation: &Operation, telling: &mut Telling, body: String) -> Answer {
        let answer = spoil::answer(operation, telling, body);
        let odd = telling.quirk.around(answer.clone(), self.last.as_ref(), &mut telling.dice);
        if telling.fault == Fault::None && !operation.reads() && !operation.several {
            self.last = Some(answer);
        }
        odd
    }

    /// What no client should send is remembered.
    pub(crate) fn refuse(&mut self, why: String) -> Answer {
        self.counts.refused.push(why.clone());
        Answer::new(400, why)
    }
}
