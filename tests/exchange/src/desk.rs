//! Where requests are looked at one by one: counted, verified, understood, and done, unless something goes wrong.

use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};

use serde_json::Value;
use tradeapi_sandbox::{Answer, Request};

use crate::answer::{self, ItemResult};
use crate::arrivals::Arrivals;
use crate::book::Book;
use crate::change::{Change, Name, text};
use crate::dice::Dice;
use crate::exchange::Settings;
use crate::fault::{Fault, Landing};
use crate::listing;
use crate::operation::{Deed, Family, Listed, Operation};
use crate::signature;
use crate::spoil;
use crate::tally::{Rate, Tally};

/// How far the time of a signature may be from the exchange's, in milliseconds.
const WINDOW: u64 = 30_000;

/// How long after that a request may be done that was taken in time, in milliseconds.
const SETTLING: u64 = 8_000;

/// What is answered about one of several things.
enum Told {
    /// What became of it.
    Result(ItemResult),
    /// That nobody knows.
    Undecided,
    /// Nothing.
    Nothing,
}

impl Told {
    fn result(self) -> Option<ItemResult> {
        match self {
            Self::Result(result) => Some(result),
            Self::Undecided | Self::Nothing => None,
        }
    }
}

/// The desk of one account.
#[derive(Debug)]
pub(crate) struct Desk {
    settings: Settings,
    pub(crate) book: Book,
    arrivals: BTreeMap<(Family, &'static str), (Arrivals, usize)>,
    /// How often each question and each change was seen, for what goes wrong the next time is another matter.
    seen: HashMap<String, u64>,
    tally: Tally,
    /// The data of the latest good answers, to be mixed up with others.
    latest: HashMap<(Family, &'static str), Value>,
}

impl Desk {
    pub(crate) fn new(settings: Settings) -> Self {
        Self {
            settings,
            book: Book::default(),
            arrivals: BTreeMap::new(),
            seen: HashMap::new(),
            tally: Tally::default(),
            latest: HashMap::new(),
        }
    }

    pub(crate) fn tally(&self) -> Tally {
        let rate = |(arrivals, allowed): &(Arrivals, usize)| Rate {
            calls: arrivals.count(),
            most: arrivals.most(),
            allowed: *allowed,
            beyond: arrivals.beyond(*allowed),
        };
        let calls = self.arrivals.iter().map(|(operation, arrivals)| (*operation, rate(arrivals))).collect();
        Tally { calls, came_after_all: self.book.came_after_all(), ..self.tally.clone() }
    }

    pub(crate) fn listed(&mut self, family: Family, listed: Listed) -> Vec<String> {
        let now = self.settings.clock.now();
        self.book.advance(now);
        self.book.listed(family, listed, now).map(|order| order.order_id.clone()).collect()
    }

    /// Lets all pass that is still to come.
    pub(crate) fn close(&mut self) {
        self.book.advance(u64::MAX);
    }

    pub(crate) fn serve(&mut self, request: &Request) -> Answer {
        let now = self.settings.clock.now();
        let Some(operation) = Operation::find(&request.method, &request.path) else {
            return self.refuse(format!("{} {} is no operation", request.method, request.path));
        };
        let arrivals = self.arrivals.entry((operation.family, operation.name)).or_default();
        arrivals.0.note(Instant::now());
        arrivals.1 = operation.per_second;
        self.book.advance(now);
        let signed_at = match signature::verify(request, &self.settings.secret) {
            Ok(signed_at) => signed_at,
            Err(why) => return self.refuse(format!("{}: {why}", operation.name)),
        };
        if now.abs_diff(signed_at) > WINDOW {
            self.tally.stale += 1;
            return answer::code("40008", now);
        }
        match operation.deed {
            Deed::Detail => self.detail(operation, request, now),
            Deed::List(listed) => listing::answer(self, operation, listed, request, now),
            Deed::Place | Deed::Amend | Deed::Cancel => self.change(operation, request, signed_at, now),
        }
    }

    /// What goes wrong with a request, by what it is about and how often that was seen.
    pub(crate) fn fault(&mut self, operation: &Operation, about: &str) -> (Fault, Dice) {
        let key = format!("{:?} {} {about}", operation.family, operation.name);
        let times = self.seen.entry(key.clone()).or_default();
        *times += 1;
        let mut dice = Dice::new(self.settings.seed, &format!("{key} {times}"));
        let chance = if operation.reads() { self.settings.faults / 2 } else { self.settings.faults };
        let fault = match dice.percent(chance) {
            true => Fault::throw(operation, &mut dice),
            false if self.is_in_burst(about) && dice.percent(50) => Fault::TooManyTold,
            false => Fault::None,
        };
        *self.tally.faults.entry(fault).or_default() += 1;
        (fault, dice)
    }

    /// Ids that differ in their last character belong to calls that come together.
    fn is_in_burst(&self, about: &str) -> bool {
        let stem = about.get(..about.len().saturating_sub(1)).unwrap_or_default();
        self.settings.faults > 0 && Dice::new(self.settings.seed, &format!("burst {stem}")).below(1000) < 4
    }

    fn change(&mut self, operation: &Operation, request: &Request, signed_at: u64, now: u64) -> Answer {
        let Some(changes) = Change::all(operation, request) else {
            return self.refuse(format!("{}: {}", operation.name, request.text()));
        };
        let ids: Vec<_> = changes.iter().map(|change| change.id().to_owned()).collect();
        let (fault, mut dice) = self.fault(operation, &ids.join(" "));
        let landing = fault.landing(&mut dice);
        if fault == Fault::Refused {
            return answer::code(answer::refusal(operation.family), now);
        }
        let last = signed_at + WINDOW + SETTLING;
        let mut told = Vec::new();
        for change in changes {
            // Of several things, some go another way.
            let landing = if operation.several && landing != Landing::Now { fault.landing(&mut dice) } else { landing };
            told.push(self.item(operation, change, fault, landing, last, &mut dice));
        }
        // What breaks on its way was right before: an answer about what is not done yet does not say that it was.
        if told.iter().any(|told| matches!(told, Told::Undecided)) {
            // Nobody could tell an answer about the same order from the right one.
            let is_another =
                |other: &&Value| fault == Fault::MixedUp && text(other, "clientOid").as_ref() != ids.first();
            let body = match self.latest.get(&(operation.family, operation.name)).filter(is_another) {
                Some(other) => answer::envelope("00000", other, now),
                None => answer::envelope("45001", &Value::Null, now),
            };
            return self.spoiled(operation, fault, body, &mut dice, now);
        }
        let results: Vec<_> = told.into_iter().filter_map(Told::result).collect();
        if let ([ItemResult { failed: Some(code), .. }], false) = (results.as_slice(), operation.several) {
            return self.spoiled(operation, fault, answer::envelope(code, &Value::Null, now), &mut dice, now);
        }
        let data = answer::acknowledged(operation, &results);
        self.answer(operation, fault, data, &mut dice)
    }

    /// Does one thing, or not, or later.
    fn item(
        &mut self,
        operation: &Operation,
        change: Change,
        fault: Fault,
        landing: Landing,
        last: u64,
        dice: &mut Dice,
    ) -> Told {
        let now = self.settings.clock.now();
        let id = change.id().to_owned();
        if fault == Fault::Partial && dice.percent(40) {
            // An item without a code failed by being listed as failed, which only the classic family does.
            let codes = [answer::refusal(operation.family), ""];
            let code = codes[usize::from(operation.family == Family::Classic && dice.percent(50))];
            return Told::Result(ItemResult::failed(&id, code));
        }
        let is_missing = fault == Fault::Missing && dice.percent(50);
        let landing = if fault == Fault::Missing && !is_missing { Landing::Now } else { landing };
        if fault != Fault::None {
            *self.tally.landings.entry(landing).or_default() += 1;
        }
        let soon = now + dice.below(1_000) * u64::from(self.settings.clock.speed());
        let told = match landing {
            Landing::Never => Told::Undecided,
            Landing::Now => Told::Result(match self.book.apply(&change, now) {
                Ok(order) => {
                    if dice.percent(self.settings.faults / 8) {
                        self.book.hide(&Name::ClientOid(id), soon.min(now + SETTLING));
                    }
                    ItemResult::done(&order)
                }
                Err(_) => ItemResult::failed(&id, answer::no_such_order(operation.family)),
            }),
            Landing::Late | Landing::VeryLate => {
                let far = now + dice.below(last.saturating_sub(now));
                self.book.apply_later(change, if landing == Landing::Late { soon.min(last) } else { far });
                Told::Undecided
            }
        };
        if is_missing { Told::Nothing } else { told }
    }

    fn detail(&mut self, operation: &Operation, request: &Request, now: u64) -> Answer {
        let query: Value = crate::query::pairs(request.query.as_deref().unwrap_or_default()).into_iter().collect();
        let Some(name) = Name::of(&query) else { return self.refuse(format!("{}: {query}", operation.name)) };
        let (fault, mut dice) = self.fault(operation, name.id());
        let order = self.book.seen(&name, now).cloned();
        let is_new = order.as_ref().is_some_and(|order| now < order.created + SETTLING);
        match order {
            Some(order) if fault != Fault::Hidden || !is_new => {
                self.answer(operation, fault, answer::record(&order), &mut dice)
            }
            _ => {
                let body = answer::envelope(answer::no_such_order(operation.family), &Value::Null, now);
                self.spoiled(operation, fault, body, &mut dice, now)
            }
        }
    }

    /// The answer of a success, or what goes wrong with it.
    pub(crate) fn answer(&mut self, operation: &Operation, fault: Fault, data: Value, dice: &mut Dice) -> Answer {
        let now = self.settings.clock.now();
        let mut body = answer::envelope("00000", &data, now);
        let other = self.latest.insert((operation.family, operation.name), data);
        if fault == Fault::MixedUp {
            body = other.map_or(String::new(), |other| answer::envelope("00000", &other, now));
        }
        self.spoiled(operation, fault, body, dice, now)
    }

    fn spoiled(&self, operation: &Operation, fault: Fault, body: String, dice: &mut Dice, now: u64) -> Answer {
        let pause = Duration::from_millis(1 + dice.below(4));
        spoil::answer(operation, fault, body, dice, now, pause)
    }

    /// What no client should send is remembered.
    pub(crate) fn refuse(&mut self, why: String) -> Answer {
        self.tally.refused.push(why.clone());
        Answer::new(400, why)
    }
}
