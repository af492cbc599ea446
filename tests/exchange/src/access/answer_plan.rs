//! The plan by which a hostile exchange answers a request: by which node, with which fault and quirk, and how the
//! answer is delivered.

pub(crate) mod changes;
mod items;

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderValue, Request, Response, StatusCode, header};
use serde_json::Value;
use tradeapi::API;
use tradeapi::runtime::tables::{Effect, Meta};

use self::changes::Proof;
use self::items::Batch;
use crate::access::authentication::timestamp;
use crate::operations::routes::{Caller, Route, Served, id_parameters};
use crate::state::core::Core;
use crate::state::dice::Dice;
use crate::state::hostile::{Hostile, HostileEvent, HostileFault, Hostility, Node, Quirk, View};
use crate::state::journal_entry::{Behind, Delivered};
use crate::state::refusal::{FAULT, Refusal};

/// The plan for the answer to a request: its node, fault and quirk.
pub(crate) struct AnswerPlan {
    pub(crate) fault: HostileFault,
    pub(crate) node: Node,
    quirk: Quirk,
    dice: Dice,
    now: u64,
    /// The body of a faulted request, if it is JSON.
    body: Value,
}

impl Core {
    /// Returns how a hostile exchange answers a request.
    pub(crate) fn answer_plan(&mut self, meta: Option<&'static Meta>, request: &Request<Bytes>) -> Option<AnswerPlan> {
        let now = self.now;
        self.hostile.as_mut().zip(meta).map(|(hostile, meta)| AnswerPlan::of(hostile, meta, request, now))
    }
}

impl AnswerPlan {
    fn of(hostile: &mut Hostile, meta: &'static Meta, request: &Request<Bytes>, now: u64) -> Self {
        let Hostile { settings, counts, faulted, seen, blocked_until, .. } = hostile;
        let target = request.uri().path_and_query().map_or("/", |target| target.as_str());
        // A body that is not UTF-8 is refused, whatever the fault.
        let body = str::from_utf8(request.body()).unwrap_or_default();
        let parts = match settings.by_number {
            true => [meta.id, "", "", "", ""],
            false => [meta.method.as_str(), " ", target, " ", body],
        };
        let hash = Dice::hash(&parts);
        let times = seen.entry(hash).or_default();
        *times += 1;
        let times = times.to_string();
        let mut dice = Dice::new(settings.seed, Dice::hash_on(hash, &[" ", &times]));
        let name = [&parts.concat(), " ", &times].concat();
        let is_spared = settings.only.as_ref().is_some_and(|only| !only.contains(&name));
        let chance = if meta.effect == Effect::Read { settings.faults / 2 } else { settings.faults };
        let is_faulted = dice.percent(chance) && !is_spared;
        let can_be_more = !is_spared && !is_faulted && !settings.by_number;
        let is_release = can_be_more && settings.is_release(now) && dice.percent(50);
        let body = if is_faulted || is_release { serde_json::from_str(body).unwrap_or_default() } else { Value::Null };
        let fault = if now < *blocked_until && !is_spared {
            HostileFault::Blocked
        } else if is_faulted {
            settings.kinds.random(meta, Batch::is_batch(&body), &mut dice)
        } else if is_release {
            HostileFault::Release
        } else if can_be_more && is_in_burst(settings, request) && dice.percent(50) {
            HostileFault::TooManyCoded
        } else {
            HostileFault::None
        };
        if fault != HostileFault::None {
            faulted.insert(name);
        }
        if matches!(fault, HostileFault::TooManyBare | HostileFault::TooManyCoded) && dice.is_rare(settings.blocks) {
            *blocked_until = now + API.refused_address.map_or(0, |refused| refused.lasts_ms);
        }
        let (quirk, node) = (Quirk::random(settings.quirks, &mut dice), Node::random(&settings.nodes, &mut dice));
        *counts.faults.entry(fault).or_default() += 1;
        *counts.quirks.entry(quirk).or_default() += 1;
        if !node.is_accurate() {
            counts.record(HostileEvent::IncorrectNode);
        }
        Self { fault, quirk, node, dice, now, body }
    }

    /// Returns the fault of the request, and the quirk of its answer.
    pub(crate) fn fault_and_quirk(&self) -> (HostileFault, Quirk) {
        (self.fault, self.quirk)
    }

    /// Returns the fault in words, if there is one.
    pub(crate) fn fault_in_words(&self) -> Option<&'static str> {
        (self.fault != HostileFault::None).then(|| self.fault.in_words().trim())
    }

    /// Returns whether the answer may be that to another request.
    pub(crate) fn answers_another(&self) -> bool {
        self.fault == HostileFault::MixedUp
    }

    /// Returns the time by the clock of the node that checks timestamps.
    pub(crate) fn node_time(&self) -> u64 {
        self.now.saturating_add_signed(self.node.clock)
    }

    /// Counts a timestamp that is refused by the node's clock, but valid by the true one.
    pub(crate) fn note_wrong_clock(&self, core: &mut Core, request: &Request<Bytes>) {
        let Some((signed_at, window)) = signed_at(request).zip(API.credentials.and_then(|known| known.window_ms))
        else {
            return;
        };
        let is_valid_by = |now: u64| now.abs_diff(signed_at) <= window;
        if let Some(hostile) = core.hostile.as_mut().filter(|_| is_valid_by(self.now) && !is_valid_by(self.node_time()))
        {
            hostile.counts.record(HostileEvent::RefusedByWrongClock);
        }
    }

    /// Returns the time that answers state.
    pub(crate) fn stated_time(&mut self) -> String {
        let time = self.now.saturating_add_signed(self.node.answer_time);
        self.quirk.time(&mut self.dice).map_or_else(|| time.to_string(), str::to_owned)
    }

    /// Serves a request with its fault.
    pub(crate) fn serve(
        &mut self,
        core: &mut Core,
        route: &'static Route,
        caller: &Caller<'_>,
        signed_at: u64,
    ) -> Served {
        let served = match route.meta.effect {
            Effect::Read => self.query(core, route, caller),
            _ => self.change(core, route, caller, signed_at),
        };
        self.injected_answer(route.meta).unwrap_or(served)
    }

    /// Returns the status of a failing server.
    fn server_error(&mut self) -> u16 {
        self.dice.weighted(&[500, 502, 503, 504].map(|status| (status, 1))).unwrap_or(500)
    }

    /// Returns the refusal of a fault.
    fn refusal(&mut self, meta: &'static Meta, proof: Proof) -> Refusal {
        let status = if self.dice.percent(50) { 200 } else { 400 };
        injected_refusal(changes::random_code(meta, proof, &mut self.dice), status)
    }

    /// Returns the answer that the fault sends in place of the right one, whether or not the request is done.
    fn injected_answer(&mut self, meta: &'static Meta) -> Option<Served> {
        let server_error = self.server_error();
        let refusal = match self.fault {
            HostileFault::DoubtfulCode => self.refusal(meta, Proof::Doubtful),
            HostileFault::OpenCode | HostileFault::Release => self.refusal(meta, Proof::Open),
            HostileFault::Timestamp => self.refusal(meta, Proof::Timestamp),
            HostileFault::UnlistedCode => injected_refusal(UNLISTED, 200),
            HostileFault::RateCode => Refusal { status: Some(200), ..self.refusal(meta, Proof::Rate) },
            HostileFault::TooManyCoded => {
                injected_refusal(changes::random_code(meta, Proof::Rate, &mut self.dice), 429)
            }
            HostileFault::ServerErrorCoded if meta.effect == Effect::Read => injected_refusal(UNLISTED, server_error),
            HostileFault::ServerErrorCoded => {
                injected_refusal(changes::random_code(meta, Proof::Open, &mut self.dice), server_error)
            }
            _ => return None,
        };
        Some(Served::refused(refusal))
    }

    fn query(&mut self, core: &mut Core, route: &'static Route, caller: &Caller<'_>) -> Served {
        if let Some(hostile) = &mut core.hostile {
            let denials = hostile.settings.denials;
            hostile.view = View { now: self.now, lag: self.node.lag, fault: self.fault, denials };
        }
        let served = self.with_equivalent_code(route.meta, route.call(core, caller));
        match (&served.data, &mut core.hostile) {
            (Ok(data), Some(hostile)) => {
                let other = hostile.latest.insert(route.meta.id, data.clone());
                let data = self
                    .quirk
                    .numbers(data, &mut self.dice)
                    .or_else(|| other.filter(|_| self.fault == HostileFault::MixedUp));
                data.map_or(served, |data| Served { data: Ok(data), left: None })
            }
            _ => served,
        }
    }

    /// Replaces the code of a refusal by another one with the same meaning.
    fn with_equivalent_code(&mut self, meta: &'static Meta, served: Served) -> Served {
        let data = served.data.map_err(|refusal| {
            let code = changes::equivalent(meta, refusal.code.clone(), &mut self.dice);
            Refusal { code, ..refusal }
        });
        Served { data, ..served }
    }
}

/// Returns whether a request belongs to a burst that exceeds a rate: ids that differ in their last character only are
/// one burst.
fn is_in_burst(settings: &Hostility, request: &Request<Bytes>) -> bool {
    if settings.faults == 0 {
        return false;
    }
    let id = str::from_utf8(request.body()).ok().and_then(|body| items::first_text(body, id_parameters()));
    let stem = id.as_deref().and_then(|id| id.get(..id.len().saturating_sub(1)));
    stem.is_some_and(|stem| Dice::named(settings.seed, &[stem]).below(1_000) < 4)
}

/// A code that is in no table.
const UNLISTED: &str = "98765";

fn injected_refusal(code: &str, status: u16) -> Refusal {
    let message = "it failed".to_owned();
    Refusal { status: Some(status), code: code.to_owned(), message, rule: FAULT.to_owned() }
}

/// Returns the signature time that a request states.
pub(crate) fn signed_at(request: &Request<Bytes>) -> Option<u64> {
    timestamp(request)?.parse().ok()
}

impl AnswerPlan {
    /// Returns how an answer is delivered, with unsolicited bytes after it.
    pub(crate) fn deliver(
        &mut self,
        core: &mut Core,
        meta: &'static Meta,
        answer: Response<Bytes>,
    ) -> (Delivered, Option<Behind>) {
        let Some(hostile) = &mut core.hostile else { return (Delivered::Whole(answer), None) };
        let last = (self.fault == HostileFault::None && is_recognizable(meta, &answer)).then(|| answer.clone());
        let mut quirks = answer;
        let behind = self.quirk.around(&mut quirks, hostile.last.as_ref(), &mut self.dice);
        if last.is_some() {
            hostile.last = last;
        }
        let length = quirks.body().len();
        let pause = Duration::from_millis(1 + self.dice.below(4));
        let late = hostile.settings.kinds.lateness(&mut self.dice).unwrap_or(pause);
        let delivered = match self.fault {
            HostileFault::Hang => Delivered::Hang,
            HostileFault::Reset => Delivered::Reset,
            HostileFault::Close => Delivered::Nothing,
            HostileFault::EmptyBody => Delivered::Whole(bare(200, "")),
            HostileFault::TooManyBare => Delivered::Whole(slow_down(429)),
            HostileFault::Blocked => Delivered::Whole(refused_address()),
            HostileFault::TooManyCoded => {
                quirks.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
                Delivered::Whole(quirks)
            }
            HostileFault::ServerErrorBare => Delivered::Whole(bare(self.server_error(), "<html>bad gateway</html>")),
            HostileFault::Redirect => {
                let mut redirect = bare(307, "");
                redirect.headers_mut().insert(header::LOCATION, HeaderValue::from_static("http://127.0.0.1:9/"));
                Delivered::Whole(redirect)
            }
            HostileFault::HalfBody => Delivered::Half(quirks),
            HostileFault::ShortLength => {
                let most = u64::try_from(length.saturating_sub(1)).unwrap_or_default();
                Delivered::Misstated(quirks, usize::try_from(self.dice.below(most)).unwrap_or_default())
            }
            HostileFault::LongLength => Delivered::Misstated(quirks, length + 10),
            HostileFault::Garbage => Delivered::Whole(quirks.map(|body| garbled(&body, &mut self.dice))),
            HostileFault::NotHttp => Delivered::Raw(quirks.into_body()),
            HostileFault::Slow => Delivered::Slow(quirks, late),
            HostileFault::LastAnswer => Delivered::Last(quirks),
            HostileFault::Outage => Delivered::Outage(pause * 20),
            HostileFault::None
            | HostileFault::Refused
            | HostileFault::DoubtfulCode
            | HostileFault::OpenCode
            | HostileFault::Release
            | HostileFault::UnlistedCode
            | HostileFault::RateCode
            | HostileFault::Timestamp
            | HostileFault::ServerErrorCoded
            | HostileFault::MixedUp
            | HostileFault::AnotherValue
            | HostileFault::Partial
            | HostileFault::Missing
            | HostileFault::Bare
            | HostileFault::Hidden
            | HostileFault::FalseAbsence
            | HostileFault::Overlap
            | HostileFault::StuckCursor => Delivered::Whole(quirks),
        };
        (delivered, behind)
    }
}

/// Returns the answer to an address that is refused for a while.
pub(crate) fn refused_address() -> Response<Bytes> {
    slow_down(refused_address_status())
}

/// Returns the status of that answer. Without one in the schema, no address is refused.
pub(crate) fn refused_address_status() -> u16 {
    API.refused_address.map(|refused| refused.status).unwrap_or_default()
}

/// Returns the answer of a gateway that has had too many requests.
fn slow_down(status: u16) -> Response<Bytes> {
    bare(status, "<html>slow down</html>")
}

/// Returns an answer without an envelope.
fn bare(status: u16, body: &'static str) -> Response<Bytes> {
    let mut bare = Response::new(Bytes::from_static(body.as_bytes()));
    *bare.status_mut() = StatusCode::from_u16(status).unwrap_or_default();
    bare
}

/// Returns whether a client can recognize an answer as that to another change, because it has every id that such
/// answers repeat.
fn is_recognizable(meta: &Meta, answer: &Response<Bytes>) -> bool {
    let Some(echoes) = meta.echoes.as_ref().filter(|_| meta.effect != Effect::Read) else { return false };
    let text = String::from_utf8_lossy(answer.body());
    !echoes.ids.is_empty() && echoes.ids.iter().all(|echo| text.contains(&format!("\"{}\":\"", echo.member)))
}

/// Damages a body until it is no longer JSON.
fn garbled(body: &[u8], dice: &mut Dice) -> Bytes {
    let mut bytes = body.to_vec();
    // Not as a `Value`, which refuses valid JSON numbers that are too large for it.
    while !bytes.is_empty() && serde_json::from_slice::<serde::de::IgnoredAny>(&bytes).is_ok() {
        let place = dice.below(u64::try_from(bytes.len()).unwrap_or(1));
        if let (Some(byte), Ok(changed)) =
            (usize::try_from(place).ok().and_then(|place| bytes.get_mut(place)), u8::try_from(dice.below(256)))
        {
            *byte = changed;
        }
    }
    Bytes::from(bytes)
}
