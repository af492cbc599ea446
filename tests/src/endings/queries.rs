//! Changes whose answer is lost, and whose queries are answered at random.

use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use serde_json::{Value, json};
use tradeapi::runtime::Timestamp;

use super::palette::{at_mut, index, set, within};
use super::{Caller, End, Wire, answer_of, call_id, number_of, outcome, shared, show};
use crate::dice::Dice;
use crate::json::text;
use crate::outcomes::{File, Inquiry, Outcome, Times};
use crate::schema;

/// An entry of the log: the operation, the end of its call, and the times.
type Entry = (String, End, Times);

/// Confirms so many changes of an operation whose queries are answered at random, and returns those in whose outcome the
/// client and the file disagree, or of which the client asks on although the file knows the outcome.
///
/// # Panics
///
/// An example of the schema cannot be read.
pub async fn compare_queries(file: &File, folder: &Path, caller: Caller<Outcome>, changes: usize) -> Vec<String> {
    let (id, mut disagreements) = (caller.operation, Vec::new());
    let mut dice = Dice::new(9, id);
    let examples = schema::examples_below(folder, id);
    for turn in 0..changes {
        let mut request: Value =
            serde_json::from_str(&examples[turn % examples.len()].request).expect("an example is JSON");
        with_id(file, id, &mut request);
        let mut answers = Answers::new(file, folder, id, request.clone(), dice.clone());
        dice.throw();
        let (log, logs) = shared(Vec::<Entry>::new());
        let wire = Wire::new(move |sent, now| {
            let (operation, end) = answers.next(sent, now);
            let there = answers.time_of(&end, now);
            let entry = (operation, end.clone(), Times { there, asked: now, answered: now });
            logs.lock().expect("no test panics with it").push(entry);
            end
        });
        let found = (caller.call)(wire, request.to_string()).await;
        let log = log.lock().expect("no test panics with it").clone();
        let (expected, is_last) = by_the_file(file, id, &request, &log);
        if found != expected || !is_last {
            let shown = log.iter().map(|(what, end, at)| format!("{} {what}: {}", at.asked, show(end)));
            let shown = shown.collect::<Vec<_>>().join("\n");
            disagreements.push(format!("{id}: {found:?}, not {expected:?}, known {is_last}\n{request}\n{shown}"));
        }
    }
    disagreements
}

/// Returns the outcome by the file, and whether no query came after it was known.
fn by_the_file(file: &File, id: &str, request: &Value, log: &[Entry]) -> (Outcome, bool) {
    let Some(((_, first, sent), mut queries)) = log.split_first() else { return (Outcome::NotDone, true) };
    let change = file.change(id, request, None);
    let known = outcome(&change, first);
    if known != Outcome::Unknown {
        return (known, queries.is_empty());
    }
    let mut inquiry = Inquiry::new(change, sent.asked, answer_of(first));
    let places = inquiry.places();
    while !queries.is_empty() {
        let is_denied = |(place, end, _): &Entry| answer_of(end).is_some_and(|answer| inquiry.is_denied(place, answer));
        let first = pages(queries);
        let goes_on = places.len() > 1 && queries.len() > first && queries[..first].iter().all(is_denied);
        let length = if goes_on { first + pages(&queries[first..]) } else { first };
        let (round, later) = queries.split_at(length);
        queries = later;
        let answers: Vec<_> =
            round.iter().map(|(place, end, times)| (place.as_str(), answer_of(end), *times)).collect();
        match inquiry.take(&answers) {
            Outcome::Unknown => {}
            known => return (known, queries.is_empty()),
        }
    }
    (Outcome::Unknown, true)
}

/// Returns the number of queries at the beginning that ask one place at one time: the pages of its list.
fn pages(queries: &[Entry]) -> usize {
    queries
        .chunk_by(|(one, _, then), (other, _, now)| one == other && then.asked == now.asked)
        .next()
        .map_or(0, <[_]>::len)
}

/// Gives a request an id, if it has none.
fn with_id(file: &File, id: &str, request: &mut Value) {
    let rows = rows(&file.json()["operations"][id]["settle"]["id"]);
    let names: Vec<String> = rows.iter().filter_map(|row| text(&row["request"])).collect();
    let has_one = names.iter().any(|name| within(request, name).is_some());
    if let Some(name) = names.last().filter(|_| !has_one) {
        request[name] = Value::from("desk1");
    }
}

fn rows(of: &Value) -> Vec<Value> {
    of.as_array().cloned().unwrap_or_default()
}

/// Random answers to a change and to the queries for it.
struct Answers {
    file: Value,
    /// The member with the number of a call.
    numbers: Option<String>,
    id: String,
    request: Value,
    /// The queries, and the answers of their examples.
    queries: Vec<(String, Value)>,
    dice: Dice,
    /// When the request was sent.
    sent: Option<i64>,
    /// The index of the query that comes next.
    place: usize,
    /// The list whose next page may be asked for: its query, the path of the request, and the time.
    listed: Option<(String, String, i64)>,
    /// True if the order is mostly absent.
    is_absent: bool,
}

impl Answers {
    fn new(file: &File, folder: &Path, id: &str, request: Value, mut dice: Dice) -> Self {
        let places = rows(&file.json()["operations"][id]["settle"]["places"]);
        let query = |place: &Value| {
            let query = text(&place["operation"]).unwrap_or_default();
            let response = schema::examples_below(folder, &query).swap_remove(0).response;
            (query, serde_json::from_str(&response).expect("an example is JSON"))
        };
        Self {
            queries: places.iter().map(query).collect(),
            file: file.json().clone(),
            numbers: call_id(file, id),
            id: id.to_owned(),
            request,
            is_absent: dice.percent(30),
            dice,
            sent: None,
            place: 0,
            listed: None,
        }
    }

    /// Returns the operation that a request is of, and the end of its call.
    fn next(&mut self, request: &http::Request<Bytes>, now: i64) -> (String, End) {
        let number = self.numbers.as_deref().and_then(|member| number_of(request, member));
        if self.sent.is_none() {
            self.sent = Some(now);
            return (self.id.clone(), self.of_the_change(number.as_deref()));
        }
        if let Some((query, ..)) =
            self.listed.clone().filter(|(_, path, at)| path == request.uri().path() && *at == now)
        {
            let page = self.last_page(&query, now);
            return (query, page);
        }
        let (query, example) = self.queries[self.place].clone();
        let is_paged = rows(&self.file["operations"][&self.id]["settle"]["places"])[self.place]["pages"] == true;
        self.listed = is_paged.then(|| (query.clone(), request.uri().path().to_owned(), now));
        let (end, is_denial) = self.of_a_query(&query, example, now, number.as_deref());
        self.place = if is_denial && self.place + 1 < self.queries.len() { self.place + 1 } else { 0 };
        (query, end)
    }

    /// Returns the page after which there is none.
    fn last_page(&self, query: &str, now: i64) -> End {
        let success = &self.file["operations"][query]["success"];
        let example = self.queries.iter().find(|(known, _)| known == query).map(|(_, example)| example.clone());
        let page = listing(success, example.unwrap_or_default(), Vec::new());
        let body = self.around(page, Some(now), None).to_string().into_bytes();
        End::Answered { status: 200, body, took: Duration::ZERO }
    }

    /// Returns the exchange's time in an answer, as the client reads it.
    fn time_of(&self, end: &End, now: i64) -> Option<i64> {
        let End::Answered { body, .. } = end else { return None };
        match self.file["envelope"]["time"].as_str() {
            None => Some(now / 1_000 * 1_000),
            Some(member) => serde_json::from_slice::<Value>(body).ok()?[member].as_i64(),
        }
    }

    /// Returns the end of a change, which is lost, or refused with a code that leaves it open.
    fn of_the_change(&mut self, number: Option<&str>) -> End {
        let took = Duration::from_millis(if self.dice.percent(20) { 1_500 } else { 0 });
        let proves = match self.dice.below(5) {
            0 => return End::Unanswered(2),
            1 => return End::Answered { status: 502, body: b"<html>".to_vec(), took },
            2 => "duplicate_id",
            3 => "not_done",
            _ => "unknown",
        };
        let all = self.file["codes"].as_object().into_iter().flatten();
        let meant: Vec<String> =
            all.filter(|(_, rows)| rows[0]["proves"] == proves).map(|(code, _)| code.clone()).collect();
        if meant.is_empty() || !self.file["envelope"].is_object() {
            return End::Unanswered(3);
        }
        let code = &meant[index(&mut self.dice, meant.len())];
        End::Answered { status: 400, body: self.refusal(code, None, number).to_string().into_bytes(), took }
    }

    fn refusal(&self, code: &str, now: Option<i64>, number: Option<&str>) -> Value {
        let mut answer = json!({});
        set(&mut answer, &self.file["envelope"]["code"][0], Value::from(code));
        self.around(answer, now, number)
    }

    /// Returns an answer with the time and the number of its call.
    fn around(&self, mut answer: Value, now: Option<i64>, number: Option<&str>) -> Value {
        if let (Some(member), Some(now)) = (self.file["envelope"]["time"].as_str(), now) {
            answer[member] = Value::from(now);
        }
        if let (Some(member), Some(number)) = (&self.numbers, number) {
            answer[member] = number.parse::<u64>().map_or_else(|_| Value::from(number), Value::from);
        }
        answer
    }

    /// Returns an answer to a query, and whether it denies that there is such a record.
    fn of_a_query(&mut self, query: &str, example: Value, now: i64, number: Option<&str>) -> (End, bool) {
        let success = self.file["operations"][query]["success"].clone();
        let is_list = success["records"].is_string() || success["shows"] == "list";
        let code = text(&self.file["operations"][&self.id]["settle"]["absence"]["codes"][0]);
        let most = if self.is_absent { 90 } else { 25 };
        let (status, answer, is_denial) = match self.dice.below(100) {
            0..4 => return (End::Unanswered(2), false),
            4..8 => {
                let took = Duration::ZERO;
                return (End::Answered { status: 502, body: b"<html>".to_vec(), took }, false);
            }
            dice if dice < most && is_list => (200, listing(&success, example, Vec::new()), true),
            dice if dice < most && code.is_some() => {
                (400, self.refusal(&code.unwrap_or_default(), Some(now), number), true)
            }
            dice => {
                let record = self.record(&success, &example, now);
                let is_other = is_list && !self.is_own(&record);
                let twice = is_list && dice >= 95;
                let records = if twice { vec![record.clone(), record] } else { vec![record] };
                (200, listing(&success, example, records), is_other)
            }
        };
        let body = self.around(answer, Some(now), number).to_string().into_bytes();
        (End::Answered { status, body, took: Duration::ZERO }, is_denial)
    }

    /// Returns whether a record has the id of the request.
    fn is_own(&self, record: &Value) -> bool {
        let rows = rows(&self.file["operations"][&self.id]["settle"]["id"]);
        let own = |row: &Value| text(within(&self.request, row["request"].as_str()?)?);
        let (row, own) = rows.iter().find_map(|row| Some((row, own(row)?))).expect("the request has an id");
        text(&record[row["field"].as_str().unwrap_or_default()]) == Some(own)
    }

    /// Returns a record of the order, or of another one, as it may be.
    fn record(&mut self, success: &Value, example: &Value, now: i64) -> Value {
        let settle = self.file["operations"][&self.id]["settle"].clone();
        let found = at_mut(&mut example.clone(), &success["data"]).cloned().unwrap_or(Value::Null);
        let found = success["records"].as_str().map(|member| found[member].clone()).unwrap_or(found);
        let is_list = success["records"].is_string() || success["shows"] == "list";
        let mut record = match found {
            Value::Array(items) if is_list => items.into_iter().next().unwrap_or_default(),
            record => record,
        };
        if let (Value::Array(values), Some(fields)) = (&record, success["by_place"].as_array()) {
            let named =
                fields.iter().zip(values).map(|(field, value)| (text(field).unwrap_or_default(), value.clone()));
            record = Value::Object(named.collect());
        }
        let proof = &settle["record"];
        for (of, is_same) in [("agrees", 97), ("matches", 70)] {
            for row in rows(&proof[of]) {
                let field = text(&row["field"]).or_else(|| text(&row["fields"][0])).unwrap_or_default();
                let wanted = row["request"].as_str().and_then(|name| text(within(&self.request, name)?));
                let Some(wanted) = wanted else { continue };
                let path: Value = field.split('.').collect();
                match self.dice.percent(is_same) {
                    true => set(&mut record, &path, Value::from(wanted)),
                    // A number stays one, so that the record can be read.
                    false if of == "agrees" => set(&mut record, &path, Value::from(format!("{wanted}1"))),
                    false => {}
                }
            }
        }
        for row in rows(&settle["id"]) {
            let own = row["request"].as_str().and_then(|name| text(within(&self.request, name)?));
            if let Some(own) = own {
                let field = text(&row["field"]).unwrap_or_default();
                record[field] = Value::from(if self.dice.percent(90) { own } else { "another".to_owned() });
            }
        }
        let sent = self.sent.unwrap_or_default();
        let near = [20, 40, 5_000, -600, -30_000, -600_000, 300_000, 39_000];
        for of in ["created", "changed"] {
            let Some(field) = proof[of]["name"].as_str() else { continue };
            let time = (sent + near[index(&mut self.dice, near.len())]).min(now.max(sent + 20));
            let written = written(time, &proof[of]["form"], &record[field]);
            record[field] = if self.dice.percent(5) { Value::Null } else { written };
        }
        let group = ["left_in", "others", "open", "open"][index(&mut self.dice, 4)];
        let states = rows(&proof["states"][group]);
        if let (Some(field), false) = (proof["states"]["field"].as_str(), states.is_empty()) {
            record[field] = states[index(&mut self.dice, states.len())].clone();
        }
        record
    }
}

/// Returns the answer of an example with these records, or the only one.
fn listing(success: &Value, mut example: Value, records: Vec<Value>) -> Value {
    let travels = |record: Value| match success["by_place"].as_array() {
        Some(fields) => fields.iter().map(|field| record[field.as_str().unwrap_or_default()].clone()).collect(),
        None => record,
    };
    let records: Vec<Value> = records.into_iter().map(travels).collect();
    let within = success["records"].as_str();
    let path: Vec<Value> = rows(&success["data"]).into_iter().chain(within.map(Value::from)).collect();
    let value = match within.is_some() || success["shows"] == "list" {
        true => Value::from(records),
        false => records.into_iter().next().unwrap_or_default(),
    };
    set(&mut example, &Value::from(path), value);
    example
}

/// Returns a time as a record has it.
fn written(millis: i64, form: &Value, example: &Value) -> Value {
    let number = match form.as_str() {
        Some("iso8601") => {
            return Value::from(Timestamp::from_millis(u64::try_from(millis).unwrap_or_default()).to_string());
        }
        Some("seconds") => millis / 1_000,
        Some("microseconds") => millis * 1_000,
        Some("nanoseconds") => millis * 1_000_000,
        _ => millis,
    };
    if example.is_number() { Value::from(number) } else { Value::from(number.to_string()) }
}
