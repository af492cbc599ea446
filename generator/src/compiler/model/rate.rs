//! Rate limits, the pools that several operations share, and the classes that have limits of their own.

use super::builder::{Builder, FamilyBuilder, dates_of, placed, text_of};
use super::elements::{Element, Key, Order, behaviour, documentation, first, maybe, names, path};
use super::facts::Fact;
use super::rules::conditions;
use super::{AnswerPath, Condition, Dates, Duration, Scope, Sources, elements, phrases};
use crate::compiler::diagnostics::{Code, Place, did_you_mean};
use crate::compiler::load::{Spanned, Text, raw};
use crate::compiler::words::{ReportedIn, ResetForm};

/// A rate limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rate {
    pub(crate) calls: u32,
    /// The window that the calls are counted in.
    pub(crate) every: Duration,
    pub(crate) scope: Scope,
    /// The class of users that it applies to; `default` is everyone.
    pub(crate) class: String,
    /// True if no document describes the class.
    pub(crate) is_observed: bool,
    /// The days on which the exchange knows the class.
    pub(crate) dates: Dates,
    /// The weight of a call in a pool, if other operations count in it, too.
    pub(crate) of_pool: Option<PoolWeight>,
    pub(crate) place: Place,
}

/// The weight of a call in a pool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PoolWeight {
    pub(crate) pool: String,
    /// The number of calls that one call counts as.
    pub(crate) weight: u32,
    /// The calls with this weight; `None` covers those that no heavier weight covers.
    pub(crate) when: Option<WeightCondition>,
}

/// The calls that a weight applies to, by a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum WeightCondition {
    Without(String),
    With(String),
    Over(String, u64),
}

impl WeightCondition {
    /// Returns the parameter that decides.
    pub(crate) fn parameter(&self) -> &str {
        match self {
            Self::Without(name) | Self::With(name) | Self::Over(name, _) => name,
        }
    }
}

/// A rate that several operations share.
#[derive(Clone, Debug)]
pub(crate) struct Pool {
    pub(crate) name: String,
    pub(crate) rate: Rate,
    pub(crate) doc: String,
    /// The report of answers about the pool.
    pub(crate) reporting: Option<PoolReporting>,
    pub(crate) place: Place,
}

/// The refusal of an address that has made too many requests.
#[derive(Clone, Debug)]
pub(crate) struct RefusedAddress {
    /// The rate of all calls of an address, beyond which it is refused.
    pub(crate) rate: Option<Rate>,
    pub(crate) lasts: Duration,
    /// The HTTP status of such an answer.
    pub(crate) status: u16,
    /// Who has seen it, if no document describes it.
    pub(crate) sources: Sources,
    pub(crate) place: Place,
}

impl RefusedAddress {
    /// The status of any request that is one too many.
    pub(crate) const USUAL_STATUS: u16 = 429;
}

/// A report of answers about a pool.
#[derive(Clone, Debug)]
pub(crate) struct PoolReporting {
    /// True if they report used rather than remaining calls.
    pub(crate) is_used: bool,
    pub(crate) count: ResponseValue,
    pub(crate) reset: Option<(ResponseValue, ResetForm)>,
    pub(crate) place: Place,
}

/// The position of a value in an answer.
#[derive(Clone, Debug)]
pub(crate) enum ResponseValue {
    Header(String),
    Body(AnswerPath),
}

impl Rate {
    /// The class that everyone is in.
    pub(crate) const EVERYONE: &str = "default";

    /// Returns the class of users that it applies to, unless that is everyone.
    pub(crate) fn own_class(&self) -> Option<&str> {
        Some(self.class.as_str()).filter(|class| *class != Self::EVERYONE)
    }
}

/// A class of accounts or requests that has rate limits of its own.
#[derive(Clone, Debug)]
pub(crate) struct Class {
    pub(crate) name: String,
    pub(crate) place: Place,
    pub(crate) doc: String,
    pub(crate) when: Vec<Condition>,
    /// Who has seen it, if no document describes it.
    pub(crate) sources: Sources,
    /// The days on which the exchange knows it.
    pub(crate) dates: Dates,
}

impl Builder<'_> {
    pub(super) fn pools(&mut self) -> Vec<Pool> {
        let documents = self.documents;
        documents.api.pools.iter().filter_map(|(name, raw)| self.pool(name, raw)).collect()
    }

    /// Returns the windows that the header with the remaining calls counts.
    pub(super) fn remaining_calls_in(&mut self, raw: &raw::Api) -> Vec<Duration> {
        let windows = &raw.remaining_calls_in;
        if let Some(first) = windows.first().filter(|_| raw.remaining_calls.is_none()) {
            self.at(first.place, Code::Misplaced, "`remaining_calls_in` requires `remaining_calls`")
                .help("add `remaining_calls`, or remove it");
        }
        let mut known = Vec::new();
        for text in windows.iter() {
            match Duration::parse_window(&text.value) {
                Some(window) => known.push(window),
                None => {
                    self.at(text.place, Code::BadRate, format!("invalid window `{}`", text.value))
                        .help("write it as in a rate: `s`, `500ms`, `10s` or `1m`");
                }
            }
        }
        if windows.is_empty() { vec![Duration::SECOND] } else { known }
    }

    /// Returns the refusal of an address that has made too many requests.
    pub(super) fn refused_address(&mut self, raw: &Spanned<raw::RefusedAddress>) -> Option<RefusedAddress> {
        let status = raw.status.as_ref().map_or(Some(RefusedAddress::USUAL_STATUS), |status| {
            let known = u16::try_from(status.value).ok().filter(|status| (400..=599).contains(status));
            if known.is_none() {
                self.at(
                    status.place,
                    Code::BadNumber,
                    format!("expected a status from 400 to 599, found {}", status.value),
                )
                .help("write the HTTP status of the refusal, or leave it out");
            }
            known
        });
        let Some(text) = &raw.lasts else {
            self.missing("lasts", raw.place);
            return None;
        };
        let lasts = self.duration(Some(text));
        let rate = raw.rate.as_ref().and_then(|text| self.rate_of_address(text));
        let sources = self.sources(raw.sources.as_ref(), None);
        Some(RefusedAddress { rate, lasts: lasts?, status: status?, sources, place: raw.place })
    }

    fn rate_of_address(&mut self, text: &Text) -> Option<Rate> {
        let rate = self.rate(text)?;
        if rate.scope == Scope::Uid || rate.own_class().is_some() {
            self.at(text.place, Code::BadRate, format!("`{}` is not the rate of an address", text.value))
                .help("write `6000/1m per IP`: an address is refused for the calls of all its users together");
        }
        Some(rate)
    }

    fn pool(&mut self, name: &Text, raw: &Spanned<raw::Pool>) -> Option<Pool> {
        if !is_word(&name.value) {
            self.at(name.place, Code::BadRate, format!("invalid name of a pool `{}`", name.value))
                .help("write a lower-case word, such as `request-weight`");
            return None;
        }
        let Some(text) = &raw.rate else {
            self.missing("rate", raw.place);
            return None;
        };
        let rate = self.rate(text)?;
        if rate.own_class().is_some() {
            self.at(text.place, Code::BadRate, format!("the pool `{}` is for a class", name.value))
                .help("remove `for`: a pool counts the calls of all classes together");
        }
        let reporting = raw.reported.as_ref().and_then(|reporting| self.reporting(reporting));
        Some(Pool { name: name.value.clone(), rate, doc: text_of(&raw.doc), reporting, place: name.place })
    }

    fn reporting(&mut self, raw: &Spanned<raw::PoolReporting>) -> Option<PoolReporting> {
        let place = raw.r#in.unwrap_or(ReportedIn::Header);
        let reset = raw.reset.as_ref().and_then(|text| self.response_value(place, text));
        if let (Some(form), None) = (&raw.reset_as, &raw.reset) {
            self.at(form.place, Code::Misplaced, "`reset_as` without `reset`").help("add `reset`, or remove it");
        }
        let form = raw.reset_as.as_ref().map_or(ResetForm::InSeconds, |form| form.value);
        let (is_used, count) = match (&raw.used, &raw.remaining) {
            (Some(used), None) => (true, used),
            (None, Some(remaining)) => (false, remaining),
            _ => {
                self.at(raw.place, Code::BadRate, "expected one of `used` and `remaining`")
                    .help("name the header, or with `in: body` the path, that reports how much is used or remains");
                return None;
            }
        };
        let count = self.response_value(place, count)?;
        Some(PoolReporting { is_used, count, reset: reset.map(|reset| (reset, form)), place: raw.place })
    }

    fn response_value(&mut self, place: ReportedIn, text: &Text) -> Option<ResponseValue> {
        match place {
            ReportedIn::Header => {
                self.check_header(&text.value, text.place);
                Some(ResponseValue::Header(text.value.clone()))
            }
            ReportedIn::Body => self.path(&text.value, text.place, "reported").map(ResponseValue::Body),
        }
    }

    /// Returns a rate of the operation alone, or the weight of its calls in a pool.
    fn rate_of_operation(&mut self, text: &Text) -> Option<Rate> {
        let rate = match text.value.split_once(" of ") {
            None => self.rate(text),
            Some((weight, pool)) => self.rate_of_pool(text, weight, pool),
        };
        if rate.is_none() {
            self.to.note_unread(text.place.file, "rate_limit");
        }
        rate
    }

    pub(super) fn rate(&mut self, text: &Text) -> Option<Rate> {
        match parse_rate(&text.value, text.place) {
            Ok(rate) => Some(rate),
            Err(why) => {
                self.at(text.place, Code::BadRate, format!("invalid rate `{}`: {why}", text.value))
                    .help("write `10/s per UID`, `50/500ms per UID`, `600/1m per IP`, or `5/s per UID for members`");
                None
            }
        }
    }

    /// Reads `20 of request-weight`.
    fn rate_of_pool(&mut self, text: &Text, weight: &str, pool: &str) -> Option<Rate> {
        let documents = self.documents;
        let (pool, when) = pool.split_once(' ').map_or((pool, None), |(pool, when)| (pool, Some(when)));
        let when = match when.map(weight_condition) {
            Some(None) => {
                self.at(text.place, Code::BadRate, format!("invalid weight `{}`", text.value))
                    .help("write which calls have it: `40 of request-weight without symbol`, `with limit` or `with limit over 100`");
                return None;
            }
            when => when.flatten(),
        };
        let is_plain = weight.starts_with(|c: char| ('1'..='9').contains(&c));
        let Some(weight) = weight.parse::<u32>().ok().filter(|_| is_plain) else {
            self.at(text.place, Code::BadRate, format!("invalid weight `{weight}`"))
                .help("write how many calls a call counts as: `20 of request-weight`");
            return None;
        };
        let Some((_, raw)) = documents.api.pools.iter().find(|(name, _)| name.value == pool) else {
            if documents.api_is_sound {
                let known = documents.api.pools.iter().map(|(name, _)| name.value.as_str());
                let help = did_you_mean(pool, known).unwrap_or_else(|| "define it under `pools` in api.yaml".into());
                self.at(text.place, Code::UndefinedName, format!("unknown pool `{pool}`")).help(help);
            }
            return None;
        };
        // A mistake in the rate is reported where the pool is defined.
        let of = raw.rate.as_ref()?;
        let rate = parse_rate(&of.value, text.place).ok()?;
        if weight > rate.calls {
            self.at(text.place, Code::BadRate, format!("a call takes {weight} of `{pool}`, which has {}", rate.calls))
                .related(of.place, "the pool")
                .help("correct the weight or the pool: such a call is never admitted");
        }
        Some(Rate { of_pool: Some(PoolWeight { pool: pool.to_owned(), weight, when }), ..rate })
    }
}

impl FamilyBuilder<'_, '_> {
    /// Returns a rate of an operation of the family.
    pub(super) fn rate(&mut self, text: &Text) -> Option<Rate> {
        let rate = self.builder.rate_of_operation(text)?;
        let mut classes = self.family.family.classes.iter();
        let Some((_, class)) = classes.find(|(name, _)| name.value == rate.class) else { return Some(rate) };
        let dates = dates_of(class.from.as_ref(), class.until.as_ref());
        Some(Rate { is_observed: class.sources.is_some(), dates, ..rate })
    }

    pub(super) fn classes(&mut self) -> Vec<Class> {
        let classes = &self.family.family.classes;
        classes
            .iter()
            .map(|(name, raw)| {
                if raw.when.is_none() {
                    self.builder.missing("when", raw.place);
                }
                let (name, place) = placed(name);
                Class {
                    name,
                    place,
                    doc: self.builder.need(&raw.doc, "doc", raw.place),
                    when: conditions(raw.when.as_ref()),
                    sources: self.builder.sources(raw.sources.as_ref(), None),
                    dates: Dates {
                        by: self.builder.dated_by(raw.dated_by.as_ref()),
                        ..dates_of(raw.from.as_ref(), raw.until.as_ref())
                    },
                }
            })
            .collect()
    }
}

/// Reads `without symbol`, `with symbol` or `with limit over 100`.
fn weight_condition(text: &str) -> Option<WeightCondition> {
    match *text.split(' ').collect::<Vec<_>>() {
        ["without", name] => Some(WeightCondition::Without(name.to_owned())),
        ["with", name] => Some(WeightCondition::With(name.to_owned())),
        ["with", name, "over", most] => Some(WeightCondition::Over(name.to_owned(), most.parse().ok()?)),
        _ => None,
    }
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
}

/// Reads `10/s`.
fn calls_in_window(rate: &str) -> Result<(u32, Duration), &'static str> {
    let (calls, every) = rate.split_once('/').ok_or("expected `N/s`, or a window such as `N/10s` or `N/1m`")?;
    if calls.starts_with('+') || calls.len() > 1 && calls.starts_with('0') {
        return Err("expected a number of calls without a sign or a leading zero");
    }
    let calls: u32 = calls.parse().map_err(|_| match calls.bytes().all(|byte| byte.is_ascii_digit()) {
        true if calls.is_empty() => "expected a number of calls before `/`",
        true => "the number of calls is too large",
        false => "expected a whole number of calls before `/`",
    })?;
    if calls == 0 {
        return Err("the number of calls must be at least 1");
    }
    let every = Duration::parse_window(every).ok_or(match every {
        every if every.contains('/') => "expected `per UID` or `per IP` in place of the second `/`",
        "m" | "h" | "d" | "ms" => "a window other than `s` begins with a number, such as `1m`",
        _ => "the window is `s`, or a number and `ms`, `s`, `m`, `h` or `d`, such as `500ms` or `1m`, up to a day",
    })?;
    Ok((calls, every))
}

/// Reads `10/s per UID for copy-trading`, or `600/1m per IP`.
fn parse_rate(text: &str, place: Place) -> Result<Rate, &'static str> {
    let words: Vec<&str> = text.split(' ').collect();
    let (rate, scope, class) = match words.as_slice() {
        [rate, "per", scope] => (*rate, *scope, Rate::EVERYONE),
        [rate, "per", scope, "for", class] => (*rate, *scope, *class),
        // One word too few: the scope is the more likely one to be missing.
        [rate] | [rate, "per"] if rate.contains('/') => {
            calls_in_window(rate)?;
            return Err("expected `per UID` or `per IP` after the window");
        }
        _ => return Err("expected `N/s per UID` or `N/s per IP`"),
    };
    let (calls, every) = calls_in_window(rate)?;
    let scope = Scope::parse(scope).ok_or("expected `UID` or `IP`")?;
    if !is_word(class) {
        return Err("expected a lower-case word as the class");
    }
    Ok(Rate {
        calls,
        every,
        scope,
        class: class.to_owned(),
        is_observed: false,
        dates: Dates::default(),
        of_pool: None,
        place,
    })
}

impl Pool {
    pub(super) fn element(&self) -> Element {
        let Self { name, rate, doc, reporting, place } = self;
        Element::new("pool", name, ["pools", name], *place)
            .when(behaviour("the limiter keeps it"), behaviour("the limiter no longer keeps it"))
            .keys([
                Key::new("rate", rate.to_string(), behaviour("the limiter keeps another pace")),
                Key::new("reported", maybe(reporting.as_ref()), behaviour("what the limiter learns from answers"))
                    .at(reporting.as_ref().map(|reporting| reporting.place))
                    .says(maybe(reporting.as_ref())),
                Key::prose("doc", doc),
            ])
    }
}

impl RefusedAddress {
    pub(super) fn element(&self) -> Element {
        let Self { rate, lasts, status, sources, place } = self;
        let status = if *status == Self::USUAL_STATUS { String::new() } else { status.to_string() };
        let pace = behaviour("the pace that all calls of an address keep together");
        let key = |name, value: String| Key::new(name, value, behaviour("when calls pause, and for how long"));
        Element::new("refused_address", "api", ["refused_address"; 2], *place)
            .when(behaviour("calls pause while their address is refused"), behaviour("calls no longer pause for it"))
            .keys([
                Key::new("rate", maybe(rate.as_ref()), pace),
                key("lasts", lasts.to_string()),
                key("status", status),
                Key::new("sources", names(sources), documentation("")).at(first(sources)),
            ])
    }
}

impl Class {
    pub(super) fn element(&self, family: &str) -> Element {
        let Self { name, place, doc, when, sources, dates } = self;
        let limits = || behaviour("which limits hold for a call");
        let [from, until, dated_by] = elements::dates(dates, "when its limits hold");
        let element = Element::new("class", path(family, name), [name, name], *place).when(limits(), limits()).keys([
            Key::new("when", phrases::all_of(when), limits()),
            from,
            until,
            dated_by,
            elements::sources(sources),
            Key::prose("doc", doc),
        ]);
        Element { order: Some(Order { kind: "classes", verdict: limits() }), ..element }
    }
}

impl Rate {
    /// Returns the element; a rate is identified by what it counts and for whom.
    pub(super) fn element(&self, operation: &str) -> Element {
        // Its dates are those of its class.
        let Self { calls, scope, class, is_observed, dates: _, place, every, of_pool } = self;
        let fact = || {
            let (operation, class) = (operation.to_owned(), class.clone());
            (*place, Fact::Rate { operation, calls: *calls, every: *every, scope: *scope, class })
        };
        let counted = self.counted();
        let rate = of_pool.as_ref().map_or_else(|| self.pace(), PoolWeight::to_string);
        Element::new("rate limit", format!("{operation} {counted}"), [&counted, &counted], *place)
            .when(behaviour("the limiter keeps it"), behaviour("the limiter no longer keeps it"))
            .keys([Key::new("rate", rate, behaviour("the limiter keeps another pace"))])
            .states(of_pool.is_none().then(fact))
            .observed(*is_observed)
    }
}
