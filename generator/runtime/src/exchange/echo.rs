//! Whether an answer belongs to its request. A connection on which something went wrong can bring the answer to another
//! one, and to take that for a success would claim what never happened.

use std::borrow::Cow;

use crate::error::SentRequest;
use crate::json::{Kind, ReadError, Reader};
use crate::operation::Operation;
use crate::parameters::Named;
use crate::tables::{Echo, Echoes};

/// What an answer says of one id of its request.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Comparison {
    Agrees,
    Differs,
    /// Only one of the two has it.
    Missing,
}

/// Refuses data that does not repeat the ids of the request that was sent: data with another id, and data without any.
pub(super) fn is_of<O: Operation>(operation: &O, sent: &SentRequest, mut data: Reader<'_>) -> Result<(), ReadError> {
    let Some(echoes) = &O::META.echoes else { return Ok(()) };
    let here = data.here();
    let answer = Answer::read(data, echoes);
    let pairs = || echoes.ids.iter().zip(&answer.ids);
    let quick: Option<Vec<_>> = pairs().map(|(echo, id)| compare_as_written(sent, echo, id.as_deref())).collect();
    if quick.is_some_and(|quick| agree(&quick, echoes)) {
        return Ok(());
    }
    let request = Named::of(operation);
    let compared: Vec<_> = pairs().map(|(echo, id)| compare(&request, echo, id.as_deref())).collect();
    if agree(&compared, echoes) {
        return Ok(());
    }
    if compared.contains(&Comparison::Differs) {
        return Err(ReadError::new(here, "it has another id than the request".to_owned()));
    }
    // Answers leave out what documents promise; one that tells nothing at all is the answer to something else. A request
    // without an id may be answered by one that names nothing.
    let has_id = echoes.ids.iter().flat_map(|echo| echo.of).any(|parameter| request.text(parameter).is_some());
    match if has_id { answer.has_value } else { answer.has_member } {
        true => Ok(()),
        false => Err(ReadError::new(here, "it repeats no id of the request".to_owned())),
    }
}

fn agree(compared: &[Comparison], echoes: &Echoes) -> bool {
    let agrees = compared.contains(&Comparison::Agrees);
    agrees && (echoes.one_is_enough || !compared.contains(&Comparison::Differs))
}

fn compare(request: &Named, echo: &Echo, id: Option<&str>) -> Comparison {
    let mut own = echo.of.iter().filter_map(|parameter| request.text(parameter)).peekable();
    match id {
        Some(id) if own.peek().is_some() => match own.any(|own| own == id) {
            true => Comparison::Agrees,
            false => Comparison::Differs,
        },
        _ => Comparison::Missing,
    }
}

/// The same by a look at the bytes of the request, which is faster; `None` where that does not tell.
fn compare_as_written(sent: &SentRequest, echo: &Echo, id: Option<&str>) -> Option<Comparison> {
    let Some(id) = id else { return Some(Comparison::Missing) };
    let written: Vec<_> = echo.of.iter().map(|parameter| Written::find(sent, parameter, id)).collect();
    match written.as_slice() {
        written if written.contains(&Written::Same) => Some(Comparison::Agrees),
        written if written.iter().all(|written| *written == Written::Nowhere) => Some(Comparison::Missing),
        _ => None,
    }
}

/// The ids of an answer, in the order of the table, as far as it has them.
struct Answer<'a> {
    ids: Vec<Option<Cow<'a, str>>>,
    has_member: bool,
    /// Whether one of its members is more than `null` and an empty text.
    has_value: bool,
}

impl<'a> Answer<'a> {
    fn read(mut data: Reader<'a>, echoes: &Echoes) -> Self {
        let mut answer = Self { ids: vec![None; echoes.ids.len()], has_member: false, has_value: false };
        if data.peek() == Kind::Object {
            // What cannot be read is reported by the reader of all of it.
            let _ = answer.fill(&mut data, echoes);
        }
        answer
    }

    fn fill(&mut self, data: &mut Reader<'a>, echoes: &Echoes) -> Result<(), ReadError> {
        let mut members = data.object(&[])?;
        while let Some(name) = members.next_name(data)? {
            if !echoes.members.contains(&&*name) {
                data.skip()?;
                continue;
            }
            self.has_member = true;
            let json = data.raw_value()?;
            let mut value = Reader::new(json);
            let text = value.scalar().ok().filter(|text| !text.is_empty());
            self.has_value |= text.is_some();
            let id = echoes.ids.iter().position(|echo| echo.member == name);
            if let Some(id) = id.and_then(|id| self.ids.get_mut(id)) {
                *id = text;
            }
        }
        Ok(())
    }
}

/// A parameter in the bytes of a request.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Written {
    Same,
    Otherwise,
    Nowhere,
}

impl Written {
    fn find(sent: &SentRequest, parameter: &str, text: &str) -> Self {
        match sent.uri.query().filter(|_| sent.body.is_empty()) {
            Some(query) => Self::of(query.split('&').filter_map(|pair| {
                let value = pair.strip_prefix(parameter)?.strip_prefix('=')?;
                Some(value == text)
            })),
            None => Self::of(sent.body.iter().enumerate().filter(|(_, byte)| **byte == b'"').filter_map(|(at, _)| {
                let value = sent.body[at + 1..].strip_prefix(parameter.as_bytes())?.strip_prefix(b"\":")?;
                let text_of = |value: &[u8]| value.strip_prefix(text.as_bytes()).and_then(|rest| rest.first().copied());
                Some(value.strip_prefix(b"\"").and_then(text_of) == Some(b'"'))
            })),
        }
    }

    fn of(mut found: impl Iterator<Item = bool>) -> Self {
        match found.next() {
            None => Self::Nowhere,
            Some(true) => Self::Same,
            Some(false) => Self::Otherwise,
        }
    }
}
