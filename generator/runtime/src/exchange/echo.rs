//! Checks whether a response belongs to its request. After an error, a connection can deliver the response to another
//! request, which must not be taken for a success of this one.

use std::borrow::Cow;

use super::envelope::go_to;
use crate::error::SentRequest;
use crate::json::{Kind, ReadError, Reader, places_of};
use crate::operation::DynOperation;
use crate::parameters::Named;
use crate::tables::{Echo, Echoes, Step};

/// How an id of a response compares with its request.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Comparison {
    Agrees,
    Differs,
    /// Only one of the two has it.
    Missing,
}

/// Refuses data that cannot belong to the request that was sent, or does not show that it does: data with another id, of
/// another form, or without any value although the answer should repeat an id of the request.
pub(super) fn is_of(
    operation: &dyn DynOperation,
    sent: &SentRequest,
    data: Option<Reader<'_>>,
) -> Result<(), ReadError> {
    let Some(echoes) = &operation.meta().echoes else { return Ok(()) };
    let text = |member: &str| text_of(data.as_ref()?, member, echoes);
    let quick = echoes.ids.iter().map(|echo| compare_as_written(sent, echo, text(echo.member).as_deref()));
    if Agreement::of(quick).is_enough(echoes) {
        return Ok(());
    }
    let request = Named::of(operation);
    let compared = echoes.ids.iter().map(|echo| Some(compare(&request, echo, text(echo.member).as_deref())));
    let compared = Agreement::of(compared);
    if compared.is_enough(echoes) {
        return Ok(());
    }
    let here = data.clone().map_or(0, |mut data| data.here());
    let refuse = |why: &str| Err(ReadError::new(here, why.to_owned()));
    if compared.differs {
        return refuse("the id differs from that of the request");
    }
    if is_foreign(data.clone(), echoes)? {
        return refuse("it contains no documented member");
    }
    // Responses may leave out any documented member, but one without any shows nothing of this request.
    let is_repeated = |echo: &Echo| echo.of.iter().any(|parameter| request.text(parameter).is_some());
    let has_value = || echoes.members.iter().any(|member| text(member).is_some_and(|value| !value.is_empty()));
    if echoes.ids.iter().any(is_repeated) && !has_value() {
        return refuse("it contains no value, and the request has an id");
    }
    Ok(())
}

/// Whether data has members, but none that is documented.
fn is_foreign(data: Option<Reader<'_>>, echoes: &Echoes) -> Result<bool, ReadError> {
    let Some(mut data) = data else { return Ok(false) };
    let json = data.raw_value()?;
    let answer = Named::read(json);
    let is_empty = !json.starts_with('{') || answer.is_empty();
    Ok(!is_empty && !echoes.members.iter().any(|member| answer.has(member)))
}

/// Whether a body is the response to a call with another number in the member `id`. A refusal need not have one.
pub(super) fn is_of_another_call(id: &str, sent: &SentRequest, body: &[u8]) -> bool {
    let id = |json| Some(Named::read(std::str::from_utf8(json).ok()?).text(id)?.into_owned());
    matches!((id(&sent.body), id(body)), (Some(own), Some(other)) if own != other)
}

/// How all ids of a response compare together.
#[derive(Default)]
struct Agreement {
    agrees: bool,
    differs: bool,
    /// Some comparison was inconclusive.
    is_open: bool,
}

impl Agreement {
    fn of(compared: impl Iterator<Item = Option<Comparison>>) -> Self {
        let mut all = Self::default();
        for one in compared {
            match one {
                Some(Comparison::Agrees) => all.agrees = true,
                Some(Comparison::Differs) => all.differs = true,
                Some(Comparison::Missing) => {}
                None => all.is_open = true,
            }
        }
        all
    }

    fn is_enough(&self, echoes: &Echoes) -> bool {
        self.agrees && !self.is_open && (echoes.one_is_enough || !self.differs)
    }
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

/// The same by comparing the bytes of the body, which is faster; `None` if that is inconclusive.
fn compare_as_written(sent: &SentRequest, echo: &Echo, id: Option<&str>) -> Option<Comparison> {
    let Some(id) = id else { return Some(Comparison::Missing) };
    if sent.body.is_empty() {
        return None;
    }
    let written = || echo.of.iter().map(|parameter| Written::find(&sent.body, parameter, id));
    if written().any(|written| written == Written::Same) {
        return Some(Comparison::Agrees);
    }
    written().all(|written| written == Written::Nowhere).then_some(Comparison::Missing)
}

/// The text of a member of an object, of an array whose places are the members, or of a value that is the only one. An
/// empty text stands for no id, which differs from any id of the request. Unreadable data is reported when all of it is
/// read.
fn text_of<'a>(data: &Reader<'a>, member: &str, echoes: &Echoes) -> Option<Cow<'a, str>> {
    let mut data = data.clone();
    match data.peek() {
        Kind::Object => {}
        Kind::Array => {
            let place = echoes.members.iter().position(|own| *own == member)?;
            go_to(&mut data, &[Step::Item(place)])?;
            return data.scalar().ok();
        }
        Kind::String | Kind::Number => return data.scalar().ok().filter(|_| echoes.members == [member]),
        Kind::Boolean | Kind::Null | Kind::Nothing => return None,
    }
    let mut members = data.object(&[]).ok()?;
    while let Some(name) = members.next_name(&mut data).ok()? {
        if name == member {
            return data.scalar().ok();
        }
        data.skip().ok()?;
    }
    None
}

/// A parameter in the body of a request.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Written {
    Same,
    Otherwise,
    Nowhere,
}

impl Written {
    fn find(body: &[u8], parameter: &str, text: &str) -> Self {
        Self::of(places_of(b':', body).filter_map(|at| {
            let name = body[..at].strip_suffix(b"\"")?.strip_suffix(parameter.as_bytes())?;
            let text_of = |value: &[u8]| value.strip_prefix(text.as_bytes()).and_then(|rest| rest.first().copied());
            let is_same = || body[at + 1..].strip_prefix(b"\"").and_then(text_of) == Some(b'"');
            name.ends_with(b"\"").then(is_same)
        }))
    }

    fn of(mut found: impl Iterator<Item = bool>) -> Self {
        match found.next() {
            None => Self::Nowhere,
            Some(true) => Self::Same,
            Some(false) => Self::Otherwise,
        }
    }
}
