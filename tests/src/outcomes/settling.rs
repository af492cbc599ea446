//! The queries that settle an unknown outcome, and what their answers prove.

use serde_json::{Map, Value};

use super::{Answer, Change, Outcome, Read, items_of, told};

/// When a query was sent and answered, in Unix milliseconds.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    /// The exchange's time in the answer.
    pub there: Option<i64>,
    /// When the query left, by the clock of the client.
    pub asked: i64,
    /// When its answer came.
    pub answered: i64,
}

/// A change whose outcome is queried.
pub struct Inquiry<'f> {
    change: Change<'f>,
    /// When the request was signed and sent, by clocks that are right.
    sent: i64,
    /// The code that refused it, unless the refusal may be that of a copy.
    refusal: Option<String>,
    /// The number of answers in a row that proved an absence.
    absences: u64,
    was_shown: bool,
    outcome: Outcome,
}

/// The content of an answer to a query.
enum Shown {
    Record(Value),
    /// There is no such record.
    Absent,
    Nothing,
}

/// The proof that an answer to a query gives.
#[derive(Clone, Copy, PartialEq)]
enum Finding {
    Done,
    NotDone,
    Absent,
    /// Something older has the id.
    Older,
    /// An order ended without the values of its amendment.
    Ended,
    Nothing,
}

impl<'f> Inquiry<'f> {
    /// Creates a change that was sent at a time, and whose call was answered, if it was.
    pub fn new(change: Change<'f>, sent: i64, answer: Option<Answer<'_>>) -> Self {
        let in_time = answer.filter(|answer| !answer.is_late);
        let refusal = in_time.and_then(|answer| change.code_of(answer));
        Self { change, sent, refusal, absences: 0, was_shown: false, outcome: Outcome::Unknown }
    }

    /// Returns the operations of the places, in their order.
    pub fn places(&self) -> Vec<&'f str> {
        let places = self.change.operation["settle"]["places"].as_array().into_iter().flatten();
        places.filter_map(|place| place["operation"].as_str()).collect()
    }

    /// Returns whether the answer of a place leads to the next one.
    pub fn is_denied(&self, place: &str, answer: Answer<'_>) -> bool {
        matches!(self.shown(place, answer), Shown::Absent)
    }

    /// Takes the answers of the places that were asked in turn, if they came, and returns the outcome. Several of one place
    /// are the pages of its list.
    pub fn take(&mut self, answers: &[(&str, Option<Answer<'_>>, Times)]) -> Outcome {
        let mut finding = Finding::Nothing;
        for (index, pages) in answers.chunk_by(|(one, ..), (other, ..)| one == other).enumerate() {
            let found = self.finding(pages);
            finding = if index > 0 && found == Finding::Absent { finding } else { found };
        }
        self.absences = if finding == Finding::Absent { self.absences + 1 } else { 0 };
        let refused_as = |proves: &str, is_trusted: bool| {
            let row = self.refusal.as_ref().and_then(|code| self.change.row(code));
            row.is_some_and(|row| row["proves"] == proves && (!is_trusted || row["end"] != "unlisted-code"))
        };
        let absence = &self.change.operation["settle"]["absence"];
        self.outcome = match finding {
            Finding::Done => Outcome::Done,
            Finding::NotDone => Outcome::NotDone,
            Finding::Absent if Some(self.absences) >= absence["answers"].as_u64() => Outcome::NotDone,
            Finding::Older if refused_as("duplicate_id", true) => Outcome::NotDone,
            Finding::Ended if refused_as("not_done", false) => Outcome::NotDone,
            Finding::Absent | Finding::Older | Finding::Ended | Finding::Nothing => Outcome::Unknown,
        };
        self.outcome
    }

    fn finding(&mut self, pages: &[(&str, Option<Answer<'_>>, Times)]) -> Finding {
        let [(.., first), ..] = pages else { return Finding::Nothing };
        let answered = pages.last().map_or(first.answered, |(.., times)| times.answered);
        let times = Times { answered, ..*first };
        let mut shown = Shown::Absent;
        for (place, answer, _) in pages {
            let page = answer.map_or(Shown::Nothing, |answer| self.shown(place, answer));
            shown = match (shown, page) {
                (shown, Shown::Absent) => shown,
                (Shown::Absent, page) => page,
                _ => Shown::Nothing,
            };
        }
        match shown {
            Shown::Record(record) => {
                self.was_shown = true;
                self.evidence(&record, times)
            }
            Shown::Absent if self.is_proof(times) && !self.was_shown => Finding::Absent,
            Shown::Absent | Shown::Nothing => Finding::Nothing,
        }
    }

    fn shown(&self, place: &str, answer: Answer<'_>) -> Shown {
        let query = Change { operation: &self.change.file["operations"][place], ..self.change };
        let absence = &self.change.operation["settle"]["absence"];
        let denies = |code: &str| absence["codes"].as_array().is_some_and(|codes| codes.iter().any(|one| one == code));
        let json: Option<Value> = serde_json::from_slice(answer.body).ok();
        let data = match query.read(json.as_ref(), answer.body, answer.status) {
            Read::Success(data, is_full) if query.is_readable(data, is_full) => data,
            Read::Code(code) if denies(&code) => return Shown::Absent,
            Read::Status if denies(&answer.status.to_string()) => return Shown::Absent,
            Read::Success(..) | Read::Code(_) | Read::Status | Read::Unreadable => return Shown::Nothing,
        };
        let success = &query.operation["success"];
        let within = success["records"].as_str();
        let is_list = within.is_some() || success["shows"] == "list";
        let records = match within {
            Some(member) => {
                Some(data.and_then(|data| data.get(member)?.as_array()).into_iter().flatten().collect::<Vec<_>>())
            }
            None if is_list => Some(query.listed(data)),
            None => None,
        };
        let record = |data: &Value| named(data, &success["by_place"]);
        match records {
            Some(records) => self.pick(records.into_iter().map(record)),
            None => data.map(record).filter(|record| self.is_own(record)).map_or(Shown::Nothing, Shown::Record),
        }
    }

    /// Returns the only record of the change in a list.
    fn pick(&self, records: impl Iterator<Item = Value>) -> Shown {
        let mut own = records.filter(|record| self.is_own(record));
        match (own.next(), own.next()) {
            (None, _) => Shown::Absent,
            (Some(record), None) => Shown::Record(record),
            (Some(_), Some(_)) => Shown::Nothing,
        }
    }

    /// Returns whether a record has the id of the change.
    fn is_own(&self, record: &Value) -> bool {
        let ids = self.change.operation["settle"]["id"].as_array().into_iter().flatten();
        let names = ids.filter_map(|id| Some((id["field"].as_str()?, id["request"].as_str()?)));
        let id = names.filter_map(|(field, request)| Some((field, self.sent_value(request)?))).next();
        id.is_some_and(|(field, id)| told(record, field) == Some(id))
    }

    /// Returns the value of a parameter of the request, or of its only item.
    fn sent_value(&self, parameter: &str) -> Option<String> {
        let list = self.change.operation["settle"]["each_of"].as_str();
        let item = list.and_then(|list| items_of(self.change.request, list).first().copied());
        item.and_then(|item| told(item, parameter)).or_else(|| told(self.change.request, parameter))
    }

    /// Returns the time for which the request may be accepted; `None` if nothing bounds it.
    fn window(&self) -> Option<i64> {
        let assumptions = &self.change.file["assumptions"];
        let own = assumptions["window_set_by"].as_str().and_then(|parameter| self.sent_value(parameter));
        let window = own.map_or(assumptions["window_ms"].as_i64(), |own| own.parse().ok());
        let expires = &self.change.operation["settle"]["expires"];
        let end = expires["name"].as_str().and_then(|name| self.sent_value(name));
        let expires = end.and_then(|end| unix_ms(&end, &expires["form"])).map(|end| end - self.sent);
        window.into_iter().chain(expires).min()
    }

    /// Returns the time after which the request can no longer arrive and every machine shows what it did.
    fn is_over(&self, times: Times) -> bool {
        let rest: i64 = ["settling_ms", "lag_ms", "clock_error_ms"].iter().map(|name| self.assumed(name)).sum();
        let after = self.window().map(|window| window + rest);
        after
            .zip(times.there)
            .is_some_and(|(after, there)| times.asked - self.sent > after && there - self.sent > after)
    }

    /// Returns whether an absence is a proof.
    fn is_proof(&self, times: Times) -> bool {
        let absence = &self.change.operation["settle"]["absence"];
        let Some((kept, window)) = absence["kept_ms"].as_i64().zip(self.window()) else { return false };
        let until = kept - window - self.assumed("clock_error_ms");
        let is_early = times.there.is_some_and(|there| there - self.sent < until) && times.answered - self.sent < until;
        absence.get("proves_nothing").is_none() && !self.change.has_several_effects() && is_early && self.is_over(times)
    }

    fn assumed(&self, name: &str) -> i64 {
        self.change.file["assumptions"][name].as_i64().unwrap_or_default()
    }

    fn evidence(&self, record: &Value, times: Times) -> Finding {
        let proof = &self.change.operation["settle"]["record"];
        let states = &proof["states"];
        let state = states["field"].as_str().and_then(|field| told(record, field));
        let is_in = |group: &str| {
            let all = states[group].as_array().into_iter().flatten().filter_map(Value::as_str);
            state.as_ref().is_some_and(|state| all.into_iter().any(|one| is_same(one, state)))
        };
        if states["left_in"].as_array().is_some_and(|all| !all.is_empty()) {
            return match (is_in("left_in"), is_in("others"), is_in("open")) {
                (true, ..) => Finding::Done,
                (_, true, _) => Finding::NotDone,
                (_, _, true) if self.is_over(times) => Finding::NotDone,
                _ => Finding::Nothing,
            };
        }
        if let Some(finding) = proof.get("created").and_then(|created| self.age(record, created)) {
            return finding;
        }
        if !self.agrees(record, proof) {
            return Finding::Nothing;
        }
        let rows = || proof["matches"].as_array().into_iter().flatten();
        if rows().next().is_none() {
            return if proof.get("created").is_some() { Finding::Done } else { Finding::Nothing };
        }
        let (mut changes_any, mut has_all) = (false, true);
        for row in rows() {
            let Some(wanted) = self.sent_value(name(row, "request")) else { continue };
            changes_any = true;
            has_all &= told(record, name(row, "field")).is_some_and(|shown| is_same(&shown, &wanted));
        }
        match (changes_any, has_all) {
            (false, _) => Finding::Nothing,
            (true, false) if is_in("others") && !self.change.has_several_effects() => Finding::Ended,
            (true, false) => Finding::Nothing,
            (true, true) if self.is_later_change(record, proof) => Finding::Done,
            (true, true) => Finding::Nothing,
        }
    }

    /// Returns what contradicts the request in the time of creation.
    fn age(&self, record: &Value, created: &Value) -> Option<Finding> {
        let time = told(record, name(created, "name")).and_then(|time| unix_ms(&time, &created["form"]));
        let Some((time, window)) = time.zip(self.window()) else { return Some(Finding::Nothing) };
        let later = time - self.sent;
        if later >= -self.assumed("clock_distance_ms") && later <= window + self.assumed("settling_ms") {
            return None;
        }
        let is_older = -later > window + self.assumed("clock_error_ms");
        Some(if is_older { Finding::Older } else { Finding::Nothing })
    }

    /// Returns whether nothing in a record contradicts the request.
    fn agrees(&self, record: &Value, proof: &Value) -> bool {
        proof["agrees"].as_array().into_iter().flatten().all(|row| {
            let Some(wanted) = self.sent_value(name(row, "request")) else { return true };
            let fields = row["fields"].as_array().into_iter().flatten().filter_map(Value::as_str);
            let shown: Vec<String> = fields.filter_map(|field| told(record, field)).collect();
            shown.is_empty() || shown.iter().any(|shown| is_same(shown, &wanted))
        })
    }

    /// Returns whether the last change that a record shows can be this one only.
    fn is_later_change(&self, record: &Value, proof: &Value) -> bool {
        let Some(changed) = proof.get("changed") else { return false };
        let time = told(record, name(changed, "name")).and_then(|time| unix_ms(&time, &changed["form"]));
        let is_amended = proof["changed_while"].as_array().into_iter().flatten().all(|row| {
            let shown = told(record, name(row, "field"));
            let values = row["values"].as_array().into_iter().flatten().filter_map(Value::as_str);
            shown.is_none_or(|shown| values.into_iter().any(|value| is_same(value, &shown)))
        });
        is_amended && time.is_some_and(|time| time > self.sent)
    }
}

impl Change<'_> {
    /// Returns the code of an answer, or its status where there is none.
    fn code_of(&self, answer: Answer<'_>) -> Option<String> {
        let json: Option<Value> = serde_json::from_slice(answer.body).ok();
        match self.read(json.as_ref(), answer.body, answer.status) {
            Read::Code(code) => Some(code),
            Read::Status => Some(answer.status.to_string()),
            Read::Success(..) | Read::Unreadable => None,
        }
    }

    /// Returns whether the success of a query can be read. It need not show anything, and may have no message.
    fn is_readable(&self, data: Option<&Value>, is_full: bool) -> bool {
        let is_list = self.operation["success"]["shows"] == "list";
        self.is_of_kind(data) && is_full && (data.is_some() && is_list || self.shows_enough(data))
    }
}

/// Returns the name that a row of the file has as this member.
fn name<'a>(row: &'a Value, member: &str) -> &'a str {
    row[member].as_str().unwrap_or_default()
}

/// Returns a record with its fields by name, also one that travels as an array of their values.
fn named(record: &Value, by_place: &Value) -> Value {
    let (Value::Array(values), Some(fields)) = (record, by_place.as_array()) else { return record.clone() };
    let named =
        fields.iter().zip(values).map(|(field, value)| (field.as_str().unwrap_or_default().into(), value.clone()));
    Value::Object(named.collect::<Map<_, _>>())
}

/// Returns a time in Unix milliseconds.
fn unix_ms(written: &str, form: &Value) -> Option<i64> {
    match form.as_str()? {
        "seconds" => Some(seconds(written)?),
        "milliseconds" => written.parse().ok(),
        "microseconds" => Some(written.parse::<i64>().ok()? / 1_000),
        "nanoseconds" => Some(written.parse::<i64>().ok()? / 1_000_000),
        _ => iso(written),
    }
}

/// Returns a time of ISO 8601 in UTC: `2026-09-21T14:13:20.250Z`.
fn iso(written: &str) -> Option<i64> {
    let (date, time) = written.strip_suffix('Z')?.split_once('T')?;
    let part = |text: Option<&str>| text?.parse::<i64>().ok();
    let (mut date, mut time) = (date.split('-'), time.splitn(3, ':'));
    let (year, month, day) = (part(date.next())?, part(date.next())?, part(date.next())?);
    // The number of days since the first of March of the year 0, without those before 1970.
    let (year, month) = if month < 3 { (year - 1, month + 9) } else { (year, month - 3) };
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1 - 719_468;
    let (hours, minutes) = (part(time.next())?, part(time.next())?);
    Some(days * 86_400_000 + hours * 3_600_000 + minutes * 60_000 + seconds(time.next()?)?)
}

/// Returns seconds with a fraction, in milliseconds.
fn seconds(written: &str) -> Option<i64> {
    let (whole, fraction) = written.split_once('.').unwrap_or((written, ""));
    let fraction: String = fraction.chars().chain("000".chars()).take(3).collect();
    Some(whole.parse::<i64>().ok()? * 1_000 + fraction.parse::<i64>().ok()?)
}

/// Returns whether two texts are the same number, or the same word.
fn is_same(one: &str, other: &str) -> bool {
    let number = |text: &str| {
        let (sign, digits) = text.strip_prefix('-').map_or(("", text), |digits| ("-", digits));
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let is_number = !whole.is_empty() && [whole, fraction].concat().bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| [sign, whole.trim_start_matches('0'), ".", fraction.trim_end_matches('0')].concat())
    };
    let word = |text: &str| text.to_ascii_lowercase().replace(' ', "_");
    word(one) == word(other) || number(one).is_some() && number(one) == number(other)
}
