//! Rates of operations and of pools, other ceilings, and the codes that report them.

use super::{Builder, FamilyBuilder, dates, placed, text_of};
use crate::compiler::diagnostics::{Code, Place, did_you_mean, unknown};
use crate::compiler::load::{Named, Spanned, Text, Texts, raw};
use crate::compiler::model::{
    Ceiling, CeilingValues, Certainty, CodeProof, CredentialCause, Dates, Duration, ErrorCode, NameOf, ObservedCode,
    Pool, PoolReporting, PoolWeight, Probe, Proof, Rate, Refusal, RefusedAddress, ResponseValue, Scope, Stage, Type,
    WeightCondition, variant_name,
};
use crate::compiler::words::{ReportedIn, ResetForm};

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
    pub(super) fn rate_of_operation(&mut self, text: &Text) -> Option<Rate> {
        let rate = match text.value.split_once(" of ") {
            None => self.rate(text),
            Some((weight, pool)) => self.rate_of_pool(text, weight, pool),
        };
        if rate.is_none() {
            self.to.note_unread(text.place.file, "rate_limit");
        }
        rate
    }

    fn rate(&mut self, text: &Text) -> Option<Rate> {
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

impl FamilyBuilder<'_, '_> {
    /// Returns a rate of an operation of the family.
    pub(super) fn rate(&mut self, text: &Text) -> Option<Rate> {
        let rate = self.builder.rate_of_operation(text)?;
        let mut classes = self.family.family.classes.iter();
        let Some((_, class)) = classes.find(|(name, _)| name.value == rate.class) else { return Some(rate) };
        let dates = dates(class.from.as_ref(), class.until.as_ref());
        Some(Rate { is_observed: class.sources.is_some(), dates, ..rate })
    }

    pub(super) fn ceilings(&mut self) -> Vec<Ceiling> {
        self.family.family.limits.iter().map(|raw| self.ceiling(raw)).collect()
    }

    fn ceiling(&mut self, raw: &Spanned<raw::Ceiling>) -> Ceiling {
        if raw.n.is_none() {
            self.builder.missing("n", raw.place);
        }
        if let Some(n) = raw.n.as_ref().filter(|n| n.value == 0) {
            self.at(n.place, Code::BadNumber, "a ceiling of 0 allows nothing").help("write how many there may be");
        }
        let place = raw.id.as_ref().map_or(raw.place, |id| id.place);
        Ceiling {
            source: self.builder.source(&raw.source),
            id: self.builder.need(&raw.id, "id", raw.place),
            place,
            n: raw.n.as_ref().map_or(0, |n| n.value),
            over: raw.over.as_ref().and_then(|over| self.over(over)),
            doc: text_of(&raw.doc),
        }
    }

    /// Returns one enum, with the values that count.
    fn over(&mut self, raw: &Spanned<Named<Texts>>) -> Option<CeilingValues> {
        let mut entries = raw.iter();
        let (Some((name, values)), None) = (entries.next(), entries.next()) else {
            self.at(raw.place, Code::Misplaced, "expected the values of one enum")
                .help("write `over: { Enum: [value, ..] }`, or leave it out if everything counts");
            return None;
        };
        let enum_index = match self.resolve(name) {
            Type::Enum(index) => index,
            _ => {
                if self.names.get(&name.value).is_some() {
                    let message = format!("expected an enum, found `{}`", name.value);
                    let help = "name the enum whose values count";
                    self.at(name.place, Code::Misplaced, message).help(help);
                }
                return None;
            }
        };
        if values.is_empty() {
            self.at(name.place, Code::Misplaced, "`over` lists no values")
                .help("list the values that count, or leave `over` out if everything does");
        }
        let values = values.iter().map(|value| (value.value.clone(), value.place)).collect();
        Some(CeilingValues { enum_index, values })
    }
}

impl Builder<'_> {
    pub(super) fn error_code(&mut self, code: &Text, raw: &Spanned<raw::ErrorCode>) -> ErrorCode {
        let text = self.need(&raw.text, "text", raw.place);
        let rust = self.rust_name(&raw.rust, &text, raw.place, "error", variant_name);
        ErrorCode {
            source: self.source(&raw.source),
            code: code.value.clone(),
            rust,
            place: code.place,
            text,
            doc: text_of(&raw.doc),
            proof: proof(
                raw.proves.as_ref(),
                raw.stage.as_ref(),
                raw.cause.as_ref(),
                [raw.alike.as_ref(), raw.before_signature.as_ref()],
            ),
            success: raw.success.unwrap_or(false),
        }
    }

    pub(super) fn observed_codes(&mut self) -> Vec<ObservedCode> {
        let raw = &self.documents.codes;
        let codes = raw.codes.iter().map(|(code, one)| self.observed_code(code, one)).collect();
        let sources = || raw.codes.iter().filter_map(|(_, code)| code.sources.as_ref()).flat_map(|all| &all.value);
        let is_used = |name: &str| sources().any(|source| source.value == name);
        // A code that could not be read may name it, and an unknown source may be misspelt where it is defined.
        let have_sources = raw.codes.iter().all(|(_, code)| code.sources.is_some());
        let are_known = sources().all(|source| raw.sources.iter().any(|(name, _)| name.value == source.value));
        let is_whole = !self.documents.incomplete && have_sources && are_known;
        for (name, what) in raw.sources.iter() {
            self.need(&Some(what.clone()), &name.value, name.place);
            if is_whole && !is_used(&name.value) {
                self.at(name.place, Code::Unused, format!("unused source `{}`", name.value))
                    .help("remove it, or name it at the codes it is the source of");
            }
        }
        codes
    }

    fn observed_code(&mut self, code: &Text, raw: &Spanned<raw::ObservedCode>) -> ObservedCode {
        self.need_keys(&[("proves", raw.proves.is_some()), ("sources", raw.sources.is_some())], code.place);
        let sources = raw.sources.as_ref().map_or(&[][..], |sources| &sources.value);
        if let Some(none) = raw.sources.as_ref().filter(|sources| sources.value.is_empty()) {
            self.at(none.place, Code::MissingKey, format!("the code `{}` has no sources", code.value))
                .help("list its `sources`, or remove the code");
        }
        sources.iter().for_each(|source| self.known_source(source));
        // If it is missing, a value that passes the checks, so that only the missing key is reported.
        let of_credentials =
            || raw.cause.as_ref().map(|cause| Spanned { value: CodeProof::Credentials, place: cause.place });
        let proves = raw.proves.clone().or_else(of_credentials);
        ObservedCode {
            code: code.value.clone(),
            place: code.place,
            families: raw.families.iter().map(placed).map(NameOf::new).collect(),
            proof: proof(
                proves.as_ref(),
                raw.stage.as_ref(),
                raw.cause.as_ref(),
                [raw.alike.as_ref(), raw.before_signature.as_ref()],
            ),
            says: self.need(&raw.says, "says", code.place),
            doc: super::text_of(&raw.doc),
            sources: sources.iter().map(|source| source.value.trim().to_owned()).collect(),
            certainty: raw.certainty.as_ref().map_or(Certainty::Several, |certainty| certainty.value),
        }
    }

    /// Reports a source that is not among the short names, if there are any.
    fn known_source(&mut self, source: &Text) {
        let names = &self.documents.codes.sources;
        if names.is_empty() || names.iter().any(|(name, _)| name.value == source.value) {
            return;
        }
        let known = names.iter().map(|(name, _)| (name.value.as_str(), Some(name.place)));
        let help =
            unknown(&source.value, known, || "define it under `sources` at the top of the file".to_owned()).of_file();
        self.at(source.place, Code::UndefinedName, format!("unknown source `{}`", source.value)).help(help);
    }

    pub(super) fn refusals(&mut self) -> Vec<Refusal> {
        let refusals = self.documents.codes.refusals.iter();
        refusals.map(|(name, raw)| self.refusal(name, raw)).collect()
    }

    fn refusal(&mut self, name: &Text, raw: &Spanned<raw::Refusal>) -> Refusal {
        let is_unread = self.to.is_unread(name.place.file, "codes");
        if raw.code.is_none() && raw.codes.iter().next().is_none() && !is_unread {
            self.missing("code", name.place);
        }
        Refusal {
            name: name.value.clone(),
            place: name.place,
            says: self.need(&raw.says, "says", name.place),
            code: raw.code.as_ref().map(placed),
            codes: raw.codes.iter().map(|(family, code)| (NameOf::new(placed(family)), placed(code))).collect(),
            status: raw.status.as_ref().map(|status| (status.value, status.place)),
            rules: raw.rules.iter().map(placed).collect(),
            parameters: raw.parameters.iter().map(placed).collect(),
        }
    }

    pub(super) fn probe(&mut self, raw: &Spanned<raw::Probe>) -> Option<Probe> {
        let Some(operation) = &raw.operation else {
            self.missing("operation", raw.place);
            return None;
        };
        let request = raw.request.as_ref().map_or_else(|| ("{}".to_owned(), raw.place), |request| placed(request));
        Some(Probe { place: raw.place, operation: NameOf::new(placed(operation)), request })
    }
}

fn proof(
    proves: Option<&Spanned<CodeProof>>,
    stage: Option<&Spanned<Stage>>,
    cause: Option<&Spanned<CredentialCause>>,
    [alike, before_signature]: [Option<&Spanned<bool>>; 2],
) -> Proof {
    let set = |flag: Option<&Spanned<bool>>| flag.filter(|flag| flag.value).map(|flag| flag.place);
    let proves = proves.map_or(CodeProof::NotDone, |proves| proves.value);
    let implied = (proves == CodeProof::Timestamp).then_some(CredentialCause::Clock);
    Proof {
        proves,
        stage: stage.map_or_else(|| proves.usual_stage(), |stage| stage.value),
        cause: cause.map(|cause| cause.value).or(implied),
        cause_place: cause.map(|cause| cause.place),
        alike: set(alike),
        before_signature: set(before_signature),
    }
}
