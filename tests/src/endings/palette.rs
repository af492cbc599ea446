//! Answers that look like those of an exchange, and some that do not.

use std::time::Duration;

use serde_json::{Value, json};

use super::{End, UNANSWERED};
use crate::dice::Dice;
use crate::json::text;
use crate::outcomes::File;

/// The parts of random answers to an operation.
#[derive(Clone)]
pub(super) struct Palette {
    envelope: Value,
    /// The member with the number of a call.
    numbers: Option<String>,
    /// The form of a success.
    success: Value,
    codes: Vec<String>,
    request: Value,
    response: Value,
}

/// Statuses with their weights.
const STATUSES: [(u16, u64); 15] = [
    (200, 50),
    (201, 3),
    (204, 2),
    (301, 2),
    (400, 8),
    (401, 3),
    (403, 3),
    (404, 4),
    (409, 2),
    (418, 2),
    (429, 8),
    (500, 4),
    (502, 5),
    (503, 2),
    (504, 2),
];

impl Palette {
    pub(super) fn new(file: &File, operation: &str, request: Value, response: &str) -> Self {
        let json = file.json();
        let codes = json["codes"].as_object().into_iter().flatten().map(|(code, _)| code.clone());
        let others = ["99999", "0", "abc"].map(str::to_owned);
        Self {
            envelope: json["envelope"].clone(),
            numbers: super::call_id(file, operation),
            success: json["operations"][operation]["success"].clone(),
            codes: codes.chain(others).collect(),
            request,
            response: serde_json::from_str(response).unwrap_or_else(|_| Value::from(response)),
        }
    }

    /// Returns an end of a call with this number.
    pub(super) fn end(&self, dice: &mut Dice, number: Option<&str>) -> End {
        if dice.percent(10) {
            return End::Unanswered(index(dice, UNANSWERED.len()));
        }
        let took = Duration::from_millis(if dice.percent(15) { 1_500 } else { 10 });
        let status = dice.weighted(&STATUSES);
        End::Answered { status, body: self.body(dice, number, (200..300).contains(&status)), took }
    }

    fn body(&self, dice: &mut Dice, number: Option<&str>, is_ok: bool) -> Vec<u8> {
        let mut answer = match dice.percent(if is_ok { 60 } else { 15 }) {
            true => self.succeeded(dice),
            false => self.refused(dice),
        };
        if let (Some(member), Some(number)) = (&self.numbers, number)
            && answer.is_object()
        {
            let number = if dice.percent(90) { number } else { "12345" };
            answer[member] = number.parse::<u64>().map_or_else(|_| Value::from(number), Value::from);
        }
        let whole = match &answer {
            Value::String(text) if self.success["form"].is_string() => text.clone().into_bytes(),
            answer => answer.to_string().into_bytes(),
        };
        match dice.below(100) {
            0..82 => whole,
            82..90 => whole[..dice.place_in(&whole)].to_vec(),
            90..93 => Vec::new(),
            93..96 => b"<html>Bad Gateway</html>".to_vec(),
            96 => b"[]".to_vec(),
            97 => b"{}".to_vec(),
            98 => [whole, b"}".to_vec()].concat(),
            _ => [b"\xef\xbb\xbf".to_vec(), whole].concat(),
        }
    }

    /// Returns a refusal with a code.
    fn refused(&self, dice: &mut Dice) -> Value {
        let code = self.codes[index(dice, self.codes.len())].clone();
        if !self.envelope.is_object() {
            return json!({"why": code});
        }
        let mut answer = if self.envelope["around"] == "all" { self.response.clone() } else { json!({}) };
        for (of, value) in [("message", Value::from("no")), ("code", written(&code, dice))] {
            let paths = self.envelope[of].as_array().cloned().unwrap_or_default();
            if !paths.is_empty() {
                set(&mut answer, &paths[index(dice, paths.len())], value);
            }
        }
        if dice.percent(50) && self.success["data"] != json!([]) {
            set(&mut answer, &self.success["data"], Value::Null);
        }
        answer
    }

    /// Returns the answer of an example, perhaps with something else in it.
    fn succeeded(&self, dice: &mut Dice) -> Value {
        let mut answer = self.response.clone();
        self.agree(&mut answer);
        for _ in 0..dice.below(3) {
            match dice.below(5) {
                0 => self.change_data(&mut answer, dice),
                // Elsewhere the message would stand in the data.
                1 if self.envelope["around"] == "all" => {
                    let value = [Value::Null, Value::from("something else")][index(dice, 2)].clone();
                    set(&mut answer, &self.envelope["message"][0], value);
                }
                2 if self.envelope["success"].is_string() => {
                    let code = self.codes[index(dice, self.codes.len())].clone();
                    let value = [Value::Null, written(&code, dice), Value::from("")][index(dice, 3)].clone();
                    set(&mut answer, &self.envelope["code"][0], value);
                }
                _ => self.change_id(&mut answer, dice),
            }
        }
        answer
    }

    /// Gives the data the ids of the request, as the exchange does.
    fn agree(&self, answer: &mut Value) {
        self.for_each_echo(answer, |data, member, of| {
            let own = of.iter().find_map(|parameter| text(within(&self.request, parameter)?));
            if let (Some(own), Some(member)) = (own, data.get_mut(member)) {
                *member = Value::from(own);
            }
        });
    }

    fn change_id(&self, answer: &mut Value, dice: &mut Dice) {
        let which = dice.below(4);
        self.for_each_echo(answer, |data, member, _| {
            let Some(data) = data.as_object_mut() else { return };
            match which {
                0 => drop(data.insert(member.to_owned(), Value::from("another"))),
                1 => drop(data.insert(member.to_owned(), Value::from(""))),
                2 => drop(data.insert(member.to_owned(), Value::Null)),
                _ => drop(data.remove(member)),
            }
        });
    }

    /// Calls something for each member with an id, of the data or of each of its records.
    fn for_each_echo(&self, answer: &mut Value, change: impl Fn(&mut Value, &str, &[String])) {
        let Some(data) = at_mut(answer, &self.success["data"]) else { return };
        for row in self.success["repeats"]["ids"].as_array().into_iter().flatten() {
            let of: Vec<String> = row["of"].as_array().into_iter().flatten().filter_map(text).collect();
            let member = row["member"].as_str().unwrap_or_default();
            match &mut *data {
                Value::Array(items) => items.iter_mut().for_each(|item| change(item, member, &of)),
                data => change(data, member, &of),
            }
        }
    }

    fn change_data(&self, answer: &mut Value, dice: &mut Dice) {
        let values = [Value::Null, json!({}), json!([]), Value::from("text"), Value::from(7), Value::from("")];
        set(answer, &self.success["data"], values[index(dice, values.len())].clone());
    }
}

/// Returns a random index into something of this length.
pub(super) fn index(dice: &mut Dice, length: usize) -> usize {
    usize::try_from(dice.below(length as u64)).unwrap_or_default()
}

/// Returns a code as a text, or as a number if it is one.
fn written(code: &str, dice: &mut Dice) -> Value {
    match code.parse::<i64>() {
        Ok(number) if number.to_string() == code && dice.percent(30) => Value::from(number),
        _ => Value::from(code),
    }
}

/// Returns the value of a parameter, which may be in nested objects.
pub(super) fn within<'a>(request: &'a Value, parameter: &str) -> Option<&'a Value> {
    request.get(parameter).or_else(|| {
        let (outer, inner) = parameter.split_once('.')?;
        within(request.get(outer)?, inner)
    })
}

/// Returns the value at a path.
pub(super) fn at_mut<'a>(json: &'a mut Value, path: &Value) -> Option<&'a mut Value> {
    path.as_array()?.iter().try_fold(json, |value, step| match step {
        Value::String(member) => value.get_mut(member),
        step => value.get_mut(usize::try_from(step.as_u64()?).ok()?),
    })
}

/// Sets the value at a path, and makes what leads there.
pub(super) fn set(json: &mut Value, path: &Value, value: Value) {
    let mut here = json;
    for step in path.as_array().into_iter().flatten() {
        here = match step {
            Value::String(member) => {
                if !here.is_object() {
                    *here = json!({});
                }
                &mut here[member]
            }
            step => {
                let place = usize::try_from(step.as_u64().unwrap_or_default()).unwrap_or_default();
                if !here.is_array() {
                    *here = json!([]);
                }
                let items = here.as_array_mut().expect("it is a list");
                items.resize_with(items.len().max(place + 1), || Value::from(0));
                &mut items[place]
            }
        };
    }
    *here = value;
}
