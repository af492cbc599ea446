//! Faulted changes: when and how far they take effect, and how they are answered. Codes of refusals are chosen by what
//! they prove, from the tables of the API.

use std::sync::LazyLock;
use std::time::Duration;

use rustc_hash::FxHashMap;
use serde_json::Value;
use tradeapi::API;
use tradeapi::runtime::tables::{Certainty, CodeProof, KnownError, Meta, Stage};

use super::items::{self, Batch};
use super::{AnswerPlan, UNLISTED, injected_refusal};
use crate::operations::routes::{Caller, Route, Served, id_parameters};
use crate::state::core::{Core, Late, Task};
use crate::state::dice::Dice;
use crate::state::faults::ShownValue;
use crate::state::hostile::{EffectTime, Hostile, HostileFault, Hostility};
use crate::state::trace::Trace;

/// The last moment at which a request is accepted, in milliseconds before its signature expires. It allows for the
/// transit.
const ON_ITS_WAY: u64 = 6_000;

/// The outcome of one item.
enum ItemOutcome {
    Served(Served),
    /// Not done yet, or never.
    Undecided,
    /// Served, and left out of the answer.
    Missing(Served),
    /// Served, and answered by a message only.
    Bare(Served),
}

impl AnswerPlan {
    pub(super) fn change(
        &mut self,
        core: &mut Core,
        route: &'static Route,
        caller: &Caller<'_>,
        signed_at: u64,
    ) -> Served {
        let meta = route.meta;
        let request = std::mem::take(&mut self.body);
        let batch = Batch::of(&request);
        if self.fault == HostileFault::Refused {
            return self.refuse(core, route, caller, batch.is_some());
        }
        let accepted_until = self.accepted_until(core, signed_at);
        let effect_time = self.fault.effect_time(&mut self.dice);
        if let Some(batch) = batch.filter(|_| self.fault != HostileFault::None) {
            return match self.change_items(core, route, caller, &batch, effect_time, accepted_until) {
                None => self.undecided(core, meta, &request),
                Some(outcomes) => self.answered_items(core, meta, &request, outcomes),
            };
        }
        self.count(core, effect_time);
        if self.fault == HostileFault::AnotherValue {
            let shown = if effect_time == EffectTime::Now { ShownValue::Outdated } else { ShownValue::Kept };
            let served = route.call_showing(core, caller, Some(shown));
            if std::mem::take(&mut core.is_kept) {
                // The change comes later or never.
                let _ = self.carry_out(core, route, caller, effect_time, accepted_until);
            }
            return served;
        }
        match self.carry_out(core, route, caller, effect_time, accepted_until) {
            None => self.undecided(core, meta, &request),
            Some(served) => self.answered(core, meta, &request, served),
        }
    }

    /// Returns the time until which a node accepts a request. One that is behind accepts a signature for longer.
    fn accepted_until(&self, core: &Core, signed_at: u64) -> u64 {
        let window = API.credentials.and_then(|credentials| credentials.window_ms).unwrap_or_default();
        let by_true_clock = (signed_at + window).min(self.now + window.saturating_sub(ON_ITS_WAY));
        let own_clocks = core.hostile.as_ref().is_some_and(|hostile| hostile.settings.own_clocks);
        match self.node.clock {
            clock if own_clocks && clock < 0 => by_true_clock.max((signed_at + window).saturating_add_signed(-clock)),
            _ => by_true_clock,
        }
    }

    /// Serves the items of a batch; `None` if one of them is undecided.
    fn change_items(
        &mut self,
        core: &mut Core,
        route: &'static Route,
        caller: &Caller<'_>,
        batch: &Batch,
        effect_time: EffectTime,
        accepted_until: u64,
    ) -> Option<Vec<ItemOutcome>> {
        let bodies: Vec<String> = batch.bodies().collect();
        let mut outcomes = Vec::with_capacity(bodies.len());
        for body in &bodies {
            // The items of a batch take effect at different times.
            let effect_time =
                if effect_time == EffectTime::Now { effect_time } else { self.fault.effect_time(&mut self.dice) };
            let caller = Caller { parameters: body, ..*caller };
            // The batch is one call.
            outcomes.push(match outcomes.is_empty() {
                true => self.item(core, route, &caller, effect_time, accepted_until),
                false => core.beyond_limits(|core| self.item(core, route, &caller, effect_time, accepted_until)),
            });
        }
        let is_decided = |outcome: &ItemOutcome| !matches!(outcome, ItemOutcome::Undecided);
        outcomes.iter().all(is_decided).then_some(outcomes)
    }

    /// Returns the answer to a batch, made of those to its items.
    fn answered_items(
        &mut self,
        core: &mut Core,
        meta: &'static Meta,
        request: &Value,
        outcomes: Vec<ItemOutcome>,
    ) -> Served {
        let mut left = None;
        let mut answers = Vec::new();
        for outcome in outcomes {
            let (served, shows): (Served, fn(Value, &Value) -> Value) = match outcome {
                ItemOutcome::Served(served) => (served, |answer, _| answer),
                ItemOutcome::Missing(served) => (served, |answer, _| items::without_items(answer)),
                ItemOutcome::Bare(served) => (served, without_code),
                ItemOutcome::Undecided => continue,
            };
            left = served.left;
            match served.data {
                Ok(data) => answers.extend(serde_json::from_str(&data).ok().map(|answer| shows(answer, request))),
                // The batch is refused as a whole.
                Err(refusal) => return Served { data: Err(refusal), left },
            }
        }
        let data = items::join(answers).to_string();
        self.answered(core, meta, request, Served { data: Ok(data), left })
    }

    fn count(&self, core: &mut Core, effect_time: EffectTime) {
        if let Some(hostile) = core.hostile.as_mut().filter(|_| self.fault != HostileFault::None) {
            *hostile.counts.effect_times.entry(effect_time).or_default() += 1;
        }
    }

    /// Serves an item of a batch.
    fn item(
        &mut self,
        core: &mut Core,
        route: &'static Route,
        caller: &Caller<'_>,
        effect_time: EffectTime,
        accepted_until: u64,
    ) -> ItemOutcome {
        let is_affected = match self.fault {
            HostileFault::Partial => self.dice.percent(40),
            HostileFault::Missing | HostileFault::Bare => self.dice.percent(50),
            _ => true,
        };
        if self.fault == HostileFault::Partial && is_affected {
            return ItemOutcome::Served(self.fail(core, route, caller, accepted_until));
        }
        let effect_time = match self.fault {
            HostileFault::Missing | HostileFault::Bare if !is_affected => EffectTime::Now,
            _ => effect_time,
        };
        self.count(core, effect_time);
        let served = self.carry_out(core, route, caller, effect_time, accepted_until);
        match (self.fault, served) {
            (HostileFault::Missing, served) if is_affected => {
                ItemOutcome::Missing(served.unwrap_or_else(|| item_template(core, route, caller)))
            }
            (HostileFault::Bare, served) if is_affected => {
                ItemOutcome::Bare(served.unwrap_or_else(|| item_template(core, route, caller)))
            }
            (_, Some(served)) => ItemOutcome::Served(served),
            (_, None) => ItemOutcome::Undecided,
        }
    }

    /// Answers an item with a code. Unless the code proves a refusal, the item may be done all the same.
    fn fail(&mut self, core: &mut Core, route: &'static Route, caller: &Caller<'_>, accepted_until: u64) -> Served {
        let proofs = [(Proof::NotDone, 6), (Proof::NotBegun, 2), (Proof::Open, 4)];
        let proof = self.dice.weighted(&proofs).unwrap_or(Proof::NotDone);
        if proof == Proof::Open {
            let effect_time = HostileFault::OpenCode.effect_time(&mut self.dice);
            self.count(core, effect_time);
            let _ = self.carry_out(core, route, caller, effect_time, accepted_until);
        }
        let code = match proof {
            Proof::Open => self.code_that_proves_nothing(route.meta),
            _ => random_code(route.meta, proof, &mut self.dice),
        };
        refused_item(core, route, caller, code)
    }

    fn code_that_proves_nothing(&mut self, meta: &'static Meta) -> &'static str {
        let proofs = [(Some(Proof::Open), 4), (Some(Proof::Doubtful), 1), (None, 1)];
        let proof = self.dice.weighted(&proofs).unwrap_or(None);
        proof.map_or(UNLISTED, |proof| random_code(meta, proof, &mut self.dice))
    }

    /// Refuses the request. Of a compound request, the first part may be done before a trading rule stops the second.
    fn refuse(&mut self, core: &mut Core, route: &'static Route, caller: &Caller<'_>, is_batch: bool) -> Served {
        let proof = self.dice.weighted(&[(Proof::NotBegun, 1), (Proof::NotDone, 2)]).unwrap_or(Proof::NotBegun);
        let (shown_after, false_refusals) = core
            .hostile
            .as_deref()
            .map_or((0, 0), |Hostile { settings, .. }| (settings.settling + settings.lag, settings.false_refusals));
        if self.dice.is_rare(false_refusals) {
            if let Some(hostile) = &mut core.hostile {
                hostile.settled = self.now + shown_after;
            }
            let _ = route.call(core, caller);
            core.note_versions();
            return Served::refused(self.refusal(route.meta, proof));
        }
        if proof == Proof::NotDone && !is_batch && does_several(route.meta, caller.parameters) && self.dice.percent(60)
        {
            if let Some(hostile) = &mut core.hostile {
                (hostile.halves, hostile.settled) = (true, self.now + shown_after);
            }
            let _ = route.call(core, caller);
            if let Some(hostile) = &mut core.hostile {
                hostile.halves = false;
            }
            core.note_versions();
        }
        Served::refused(self.refusal(route.meta, proof))
    }

    /// Carries out a change, now, later or never. `None` if it is not done now.
    fn carry_out(
        &mut self,
        core: &mut Core,
        route: &'static Route,
        caller: &Caller<'_>,
        effect_time: EffectTime,
        accepted_until: u64,
    ) -> Option<Served> {
        let Hostility { faults, speed, settling, lag, .. } = core.hostile.as_ref()?.settings;
        let soon = self.now + self.dice.below(1_000) * u64::from(speed);
        let last = accepted_until + settling;
        let settled = |at: u64| at.min(accepted_until) + settling + lag;
        match effect_time {
            EffectTime::Never => None,
            EffectTime::Now => {
                let first_new = core.next_id();
                if let Some(hostile) = &mut core.hostile {
                    hostile.settled = settled(self.now);
                }
                let served = self.with_equivalent_code(route.meta, route.call(core, caller));
                core.note_versions();
                let until = soon.min(self.now + settling);
                for order in placed_since(core, first_new) {
                    if let Some(views) = core.views.as_mut().filter(|_| self.dice.percent(faults / 8)) {
                        views.hide(order, until);
                    }
                }
                Some(served)
            }
            EffectTime::Late | EffectTime::VeryLate => {
                let far = self.now + self.dice.below(last.saturating_sub(self.now));
                let at = if effect_time == EffectTime::Late { soon.min(last) } else { far };
                let Caller { user, address, parameters } = *caller;
                let (meta, parameters, settled) = (route.meta, parameters.to_owned(), settled(at));
                let call = core.trace.as_ref().and_then(Trace::serving);
                let late = Late { meta, user, address, parameters, call, settled };
                core.later(Duration::from_millis(at - self.now), Task::Late(Box::new(late)));
                None
            }
        }
    }

    /// Returns the answer to a change that is not done, or not yet: the answer to another one, or a meaningless one.
    fn undecided(&mut self, core: &Core, meta: &'static Meta, request: &Value) -> Served {
        if let Some(other) = self.other(core, meta, request) {
            return Served { data: Ok(other), left: None };
        }
        let code = random_code(meta, Proof::Open, &mut self.dice);
        Served::refused(injected_refusal(code, 200))
    }

    /// Returns the answer to a change that is done, or that to another one.
    fn answered(&mut self, core: &mut Core, meta: &'static Meta, request: &Value, served: Served) -> Served {
        let Ok(data) = &served.data else { return served };
        let other = self.other(core, meta, request);
        if let Some(hostile) = &mut core.hostile {
            hostile.latest.insert(meta.id, data.clone());
        }
        match other {
            Some(other) => Served { data: Ok(other), left: served.left },
            None => served,
        }
    }

    /// Returns the latest answer to another request, if that is the fault and a client can recognize it.
    fn other(&self, core: &Core, meta: &'static Meta, request: &Value) -> Option<String> {
        let other = core.hostile.as_ref()?.latest.get(meta.id).filter(|_| self.fault == HostileFault::MixedUp)?;
        let answer: Value = serde_json::from_str(other).ok()?;
        let mut ids = Vec::new();
        items::texts(request, id_parameters(), &mut ids);
        let items = Batch::of(request).map_or(1, |batch| batch.len());
        let differs =
            |(name, id): &(&str, &str)| items::all_have(&answer, name) && !other.contains(&format!("\"{id}\""));
        let are_distinct = ids.len() >= items && ids.iter().all(differs);
        are_distinct.then(|| other.clone())
    }
}

/// Returns the orders that were placed since this was the next id.
fn placed_since(core: &Core, first_new: u64) -> Vec<u64> {
    (first_new..core.next_id()).filter(|id| core.orders.get(id).is_some()).collect()
}

/// Returns the answer to a batch whose item is refused with a code.
fn refused_item(core: &mut Core, route: &'static Route, caller: &Caller<'_>, code: &str) -> Served {
    core.refused_items = Some(injected_refusal(code, 200));
    let served = route.call(core, caller);
    core.refused_items = None;
    served
}

/// Returns the answer to a failed item, as a template for its form.
fn item_template(core: &mut Core, route: &'static Route, caller: &Caller<'_>) -> Served {
    refused_item(core, route, caller, "")
}

/// Returns an ambiguous answer to an item: a message and the ids of the request, without a code. A list of failures is
/// empty.
fn without_code(answer: Value, request: &Value) -> Value {
    let Value::Array(mut items) = answer else { return items::without_items(answer) };
    let mut requested = Vec::new();
    items::texts(request, id_parameters(), &mut requested);
    let message = API.envelope.and_then(|envelope| envelope.message_member());
    for item in items.iter_mut().filter_map(Value::as_object_mut) {
        item.retain(|name, value| value.as_str().is_some_and(|id| requested.contains(&(name.as_str(), id))));
        item.extend(message.map(|name| (name.to_owned(), Value::from("it is looked into"))));
    }
    Value::Array(items)
}

fn does_several(meta: &Meta, parameters: &str) -> bool {
    meta.compound.as_ref().is_some_and(|compound| match compound.when {
        None => true,
        Some((name, value)) => {
            let request: Value = serde_json::from_str(parameters).unwrap_or_default();
            request.get(name).and_then(Value::as_str) == Some(value)
        }
    })
}

/// The proof that a refusal gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Proof {
    /// Nothing was begun: the gateway, a permission or a parameter stopped the request.
    NotBegun,
    /// The request was not done. Of a compound request, the first part may have been.
    NotDone,
    /// There were too many requests.
    Rate,
    NoSuchOrder,
    DuplicateId,
    Timestamp,
    /// Nothing, because there is only one source, or sources contradict each other.
    Doubtful,
    /// Nothing.
    Open,
}

impl Proof {
    fn of(known: &KnownError) -> Self {
        match (known.certainty, known.proves) {
            (Certainty::Single | Certainty::Conflicting, _) => Self::Doubtful,
            (_, CodeProof::Credentials) => Self::NotBegun,
            (_, CodeProof::NotDone) if known.stage == Stage::Trading => Self::NotDone,
            (_, CodeProof::NotDone) => Self::NotBegun,
            (_, CodeProof::NoSuchOrder) => Self::NoSuchOrder,
            (_, CodeProof::DuplicateId) => Self::DuplicateId,
            (_, CodeProof::Timestamp) => Self::Timestamp,
            (_, CodeProof::Rate) => Self::Rate,
            (_, _) => Self::Open,
        }
    }
}

/// Returns all codes of an operation: those of its document, or else observed ones.
fn all(meta: &'static Meta) -> impl Iterator<Item = &'static KnownError> {
    let is_of = |known: &&KnownError| known.families.is_empty() || known.families.contains(&meta.family);
    let observed = API.observed_codes.iter().filter(|known| meta.error(known.code).is_none());
    meta.errors.iter().chain(observed).filter(is_of).filter(|known| !known.success)
}

/// Codes of an operation that are equally frequent.
type Codes = Vec<(&'static str, u64)>;

/// The codes of each operation by what they prove, computed once, because that takes as long as a request.
static BY_PROOF: LazyLock<FxHashMap<(&str, Proof), Codes>> = LazyLock::new(|| {
    let mut by_proof = FxHashMap::<(&str, Proof), Codes>::default();
    for meta in crate::state::words::all_operations() {
        for known in all(meta) {
            by_proof.entry((meta.id, Proof::of(known))).or_default().push((known.code, 1));
        }
    }
    by_proof
});

/// Returns the proof that a code gives in an answer of an operation, if the code is known.
pub(crate) fn proof(meta: &Meta, code: &str) -> Option<Proof> {
    meta.known(&API, code).map(Proof::of)
}

/// Returns a code of an operation with this meaning.
pub(crate) fn random_code(meta: &'static Meta, proof: Proof, dice: &mut Dice) -> &'static str {
    let codes = BY_PROOF.get(&(meta.id, proof)).map(Vec::as_slice).unwrap_or_default();
    dice.weighted(codes).unwrap_or_default()
}

/// Returns a code with the same meaning. Only absences and duplicate ids have equivalent codes.
pub(crate) fn equivalent(meta: &'static Meta, code: String, dice: &mut Dice) -> String {
    match proof(meta, &code) {
        Some(known @ (Proof::NoSuchOrder | Proof::DuplicateId)) => random_code(meta, known, dice).to_owned(),
        _ => code,
    }
}

#[cfg(test)]
mod tests {
    use tradeapi::{Operation, classic, unified};

    use super::*;
    use crate::state::dice::Seed;

    /// Codes that are announced for releases, but for 40808, which sources agree to be the refusal of a parameter.
    #[test]
    fn codes_of_releases_prove_nothing() {
        for code in ["45001", "40725", "40015"] {
            assert_eq!(proof(unified::PlaceOrder::META, code), Some(Proof::Open), "{code}");
        }
    }

    #[test]
    fn both_families_have_codes_that_prove_each_thing() {
        let mut dice = Dice::new(Seed(1), 0);
        for meta in [unified::PlaceOrder::META, classic::PlaceOrder::META] {
            for proof in [
                Proof::NotBegun,
                Proof::NotDone,
                Proof::Rate,
                Proof::NoSuchOrder,
                Proof::DuplicateId,
                Proof::Timestamp,
                Proof::Doubtful,
                Proof::Open,
            ] {
                assert_ne!(random_code(meta, proof, &mut dice), "", "{proof:?}");
            }
        }
    }
}
