//! What is done about requests that change something, and what is said about it.

use serde_json::Value;
use tradeapi_sandbox::Answer;

use crate::answer::{self, ItemResult};
use crate::book::{Unchanged, When};
use crate::change::{Change, Name};
use crate::codes::{self, Proof};
use crate::counts::Reached;
use crate::desk::{Desk, WINDOW};
use crate::fault::{Fault, Landing};
use crate::operation::{Family, Operation};
use crate::telling::Telling;

/// How long after it was taken what a request did may take to be seen everywhere, in milliseconds.
const SETTLING: u64 = 9_000;

/// How long after it came a request may be taken, in milliseconds: no longer than its signature is good, and a little less
/// than a window, for it was sent before.
const UNDER_WAY: u64 = WINDOW - 6_000;

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

impl Desk {
    pub(crate) fn change(&mut self, operation: &Operation, changes: Vec<Change>, signed_at: u64) -> Answer {
        let about: Vec<_> = changes.iter().map(Change::id).collect();
        let mut telling = self.telling(operation, &about.join(" "));
        self.note_reached(&changes);
        if let Some(answer) = self.stale(&mut telling, signed_at) {
            return answer;
        }
        if telling.fault == Fault::Refused {
            return self.refused(operation, &changes, &mut telling);
        }
        let landing = telling.fault.landing(&mut telling.dice);
        let taken_until = (signed_at + WINDOW).min(telling.now + UNDER_WAY);
        let mut told = Vec::new();
        for change in &changes {
            // Of several things, some go another way.
            let thrown_again = operation.several && landing != Landing::Now;
            let landing = if thrown_again { telling.fault.landing(&mut telling.dice) } else { landing };
            told.push(self.item(operation, change, landing, taken_until, &mut telling));
        }
        // What breaks on its way was right before: an answer about what is not done yet does not say that it was.
        if told.iter().any(|told| matches!(told, Told::Undecided)) {
            let body = self.undecided(operation, &changes, &mut telling);
            return self.spoiled(operation, &mut telling, body);
        }
        let results: Vec<_> = told.into_iter().filter_map(Told::result).collect();
        if let ([ItemResult { failed: Some(code), .. }], false) = (results.as_slice(), operation.several) {
            let body = telling.envelope(code, &Value::Null);
            return self.spoiled(operation, &mut telling, body);
        }
        if telling.fault == Fault::MixedUp && !self.is_about_another(operation, &changes) {
            telling.fault = Fault::None;
        }
        self.answer(operation, &mut telling, answer::acknowledged(operation, &results))
    }

    /// Refuses all of it. Of what does two things, the first may have been done when a business rule stops the second.
    fn refused(&mut self, operation: &Operation, changes: &[Change], telling: &mut Telling) -> Answer {
        let proof = telling.dice.weighted(&[(Proof::NotBegun, 1), (Proof::NotDone, 2)]);
        for change in changes {
            let cancels = matches!(change, Change::Amend { auto_cancel: true, .. });
            if proof == Proof::NotDone && (codes::does_two_things(operation) || cancels) && telling.dice.percent(60) {
                self.counts.reach(Reached::DoneHalf, 1);
                self.book.apply_half(change, When { at: telling.now, settled: telling.now + SETTLING });
            }
        }
        let body = telling.refusal(proof);
        self.spoiled(operation, telling, body)
    }

    /// The body of an answer to what is not done, or not yet: about something else, or one that nobody knows.
    fn undecided(&self, operation: &Operation, changes: &[Change], telling: &mut Telling) -> String {
        let other = self.latest.get(&(operation.family, operation.name));
        match other.filter(|_| telling.fault == Fault::MixedUp && self.is_about_another(operation, changes)) {
            Some(other) => telling.envelope("00000", other),
            None => telling.envelope("45001", &Value::Null),
        }
    }

    /// Whether the latest answer can be told to be another than one about these.
    fn is_about_another(&self, operation: &Operation, changes: &[Change]) -> bool {
        let other = self.latest.get(&(operation.family, operation.name)).map(ToString::to_string).unwrap_or_default();
        let is_named = |change: &Change| {
            let (client_oid, order_id) = change.ids();
            let both = [client_oid, order_id].into_iter().flatten();
            both.into_iter().any(|id| other.contains(&format!("\"{id}\"")))
        };
        changes.iter().all(|change| change.can_be_told() && !is_named(change))
    }

    /// Does one thing, or not, or later.
    fn item(
        &mut self,
        operation: &Operation,
        change: &Change,
        landing: Landing,
        taken_until: u64,
        telling: &mut Telling,
    ) -> Told {
        // Of several things, this goes wrong with some only.
        let is_hit = match telling.fault {
            Fault::Partial => telling.dice.percent(40),
            Fault::Missing | Fault::Bare => telling.dice.percent(50),
            _ => true,
        };
        let landing = match telling.fault {
            Fault::Missing | Fault::Bare if !is_hit => Landing::Now,
            _ => landing,
        };
        if telling.fault == Fault::Partial && is_hit {
            return self.failed(operation, change, taken_until, telling);
        }
        if telling.fault != Fault::None {
            *self.counts.landings.entry(landing).or_default() += 1;
        }
        let told = self.land(change, landing, taken_until, telling);
        match telling.fault {
            Fault::Missing if is_hit => Told::Nothing,
            // What the classic family does not list as failed, it lists as done.
            Fault::Bare if is_hit && operation.family == Family::Unified => Told::Result(ItemResult::bare(change)),
            Fault::Bare if is_hit => Told::Nothing,
            _ => told,
        }
    }

    /// One of several things fails, and the answer says so, by a code or by where it stands.
    fn failed(&mut self, operation: &Operation, change: &Change, taken_until: u64, telling: &mut Telling) -> Told {
        // An item without a code failed by being listed as failed, which only the classic family does.
        let unsaid = if operation.family == Family::Classic { 5 } else { 0 };
        let proof = telling.dice.weighted(&[
            (Some(Proof::NotDone), 6),
            (Some(Proof::NotBegun), 2),
            (Some(Proof::Open), 4),
            (None, unsaid),
        ]);
        if proof == Some(Proof::Open) {
            let landing = Fault::OpenCode.landing(&mut telling.dice);
            *self.counts.landings.entry(landing).or_default() += 1;
            let _ = self.land(change, landing, taken_until, telling);
        }
        let code = proof.map_or("", |proof| telling.code(proof));
        Told::Result(ItemResult::failed(change, code))
    }

    fn land(&mut self, change: &Change, landing: Landing, taken_until: u64, telling: &mut Telling) -> Told {
        let now = telling.now;
        let when = |at: u64| When { at, settled: at.min(taken_until) + SETTLING };
        let soon = now + telling.dice.below(1_000) * u64::from(self.settings.clock.speed());
        let last = taken_until + SETTLING;
        match landing {
            Landing::Never => Told::Undecided,
            Landing::Now => Told::Result(match self.book.apply(change, when(now)) {
                Ok(order) => {
                    if telling.dice.percent(self.settings.faults / 8) {
                        self.book.hide(&order.order_id, soon.min(now + SETTLING));
                    }
                    ItemResult::done(&order)
                }
                Err(why) => ItemResult::failed(change, telling.code(reason(why))),
            }),
            Landing::Late | Landing::VeryLate => {
                let far = now + telling.dice.below(last.saturating_sub(now));
                let at = if landing == Landing::Late { soon.min(last) } else { far };
                self.book.apply_later(change.clone(), when(at));
                Told::Undecided
            }
        }
    }

    fn note_reached(&mut self, changes: &[Change]) {
        for change in changes {
            let reached = match change {
                Change::Place { client_oid, .. } if client_oid.is_empty() => Reached::WithoutId,
                Change::Amend { price: Some(_), size: Some(_), .. } => Reached::AmendedTwoFields,
                Change::Amend { order: Name::OrderId(_), .. }
                | Change::Cancel { order: Name::OrderId(_), .. }
                | Change::Replace { order: Name::OrderId(_), .. } => Reached::NamedByOrderId,
                _ => continue,
            };
            self.counts.reach(reached, 1);
        }
    }
}

/// What a refusal proves that says why nothing was changed.
fn reason(why: Unchanged) -> Proof {
    match why {
        Unchanged::NoSuchOrder => Proof::NoSuchOrder,
        Unchanged::DuplicateId => Proof::DuplicateId,
    }
}
