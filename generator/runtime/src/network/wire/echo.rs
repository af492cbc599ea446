//! Checks whether a response belongs to its request, and rejects a success whose data lacks what the documents promise.
//!
//! After an error, a connection can deliver the response to another request, which must not be taken for a success of
//! this one. Without what is promised, a stray response could pass for an empty listing, or for a batch without
//! failures.

use std::borrow::Cow;

use super::envelope::go_to;
use crate::data::error::SentRequest;
use crate::data::json::{Kind, ReadError, Reader, places_of};
use crate::data::operation::DynOperation;
use crate::data::parameters::Named;
use crate::data::tables::{Echo, Echoes, Effect, Meta, Shows, Step};

/// The relation of a value of a response to its request.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Comparison {
    Agrees,
    /// Both have it, and they differ.
    Differs,
    /// Only the request has it.
    Omitted,
    /// The request does not have it, so that the response could not repeat it.
    NotSent,
}

/// Returns whether data repeats an id of the request that was sent. Refuses data that cannot belong to that request:
/// data with another id, or without any although the request has one. Of a list, one item is enough. `None` stands for
/// data that is absent.
pub(super) fn repeats_an_id(
    operation: &dyn DynOperation,
    sent: &SentRequest,
    data: Option<&Reader<'_>>,
) -> Result<bool, ReadError> {
    let Some(echoes) = &operation.meta().echoes else { return Ok(false) };
    let shows = operation.meta().shows;
    let quick = |echo: &Echo| {
        let text = data.and_then(|data| text_of(data, echo.member, shows));
        compare_as_written(sent, echo, text.as_deref())
    };
    if Agreement::of(echoes, quick).is_some_and(|compared| compared.is_proof(echoes)) {
        return Ok(true);
    }
    let records: Vec<Reader<'_>> = match shows {
        Shows::List => items_of(data.map(Reader::ahead), operation.meta().list_member),
        Shows::Nothing | Shows::OneOf(_) | Shows::Each(_) => data.into_iter().map(Reader::ahead).collect(),
    };
    let request = Named::of(operation);
    let agreement = |record: Option<&Reader<'_>>| {
        let text = |echo: &Echo| text_of(record?, echo.member, shows);
        Agreement::of(echoes, |echo| Some(compare(&request, echo, text(echo).as_deref()))).unwrap_or_default()
    };
    let mut all: Vec<Agreement> = records.iter().map(|record| agreement(Some(record))).collect();
    if all.is_empty() {
        all.push(agreement(None));
    }
    let refuse = |why: &str| Err(ReadError::new(data.map_or(0, |data| data.ahead().here()), why.to_owned()));
    if all.iter().any(|compared| compared.is_proof(echoes)) {
        Ok(true)
    } else if all.iter().any(|compared| compared.differs) {
        refuse("the id differs from that of the request")
    } else if all.iter().any(|compared| compared.another_differs) {
        refuse("it shows another value than the request asks for")
    } else if all.iter().any(|compared| compared.omits) {
        refuse("it repeats no id of the request")
    } else {
        Ok(false)
    }
}

/// Returns readers at the items of a list, which can be the member `list` of an object. What cannot be read has no
/// items here, and is reported when all of it is read.
fn items_of<'a>(data: Option<Reader<'a>>, list: Option<&'static str>) -> Vec<Reader<'a>> {
    let mut items = Vec::new();
    let Some(mut data) = data else { return items };
    if let (Kind::Object, Some(list)) = (data.peek(), list)
        && go_to(&mut data, &[Step::Member(list)]).is_none()
    {
        return items;
    }
    if data.peek() != Kind::Array {
        return items;
    }
    let Ok(mut elements) = data.array() else { return items };
    while let Ok(Some(_)) = elements.next(&mut data) {
        items.push(data.ahead());
        if data.skip().is_err() {
            break;
        }
    }
    items
}

/// Returns whether a body is the response to a call with another number in the member `id`. A refusal need not have
/// one.
pub(super) fn is_of_another_call(id: &str, sent: &SentRequest, body: &[u8]) -> bool {
    let id = |json| Some(Named::read(std::str::from_utf8(json).ok()?).text(id)?.into_owned());
    matches!((id(&sent.body), id(body)), (Some(own), Some(other)) if own != other)
}

/// The relation of all values of a response to its request.
#[derive(Default)]
struct Agreement {
    /// An id agrees.
    agrees: bool,
    /// An id differs.
    differs: bool,
    /// The response omits an id of the request.
    omits: bool,
    /// A value that is not an id differs.
    another_differs: bool,
}

impl Agreement {
    /// Combines the comparisons of all echoes, or returns `None` if one is inconclusive.
    fn of(echoes: &Echoes, compare: impl Fn(&Echo) -> Option<Comparison>) -> Option<Self> {
        let mut all = Self::default();
        for echo in echoes.ids {
            match compare(echo)? {
                Comparison::Agrees => all.agrees = true,
                Comparison::Differs => all.differs = true,
                Comparison::Omitted => all.omits = true,
                Comparison::NotSent => {}
            }
        }
        for echo in echoes.also {
            all.another_differs |= compare(echo)? == Comparison::Differs;
        }
        for members in echoes.by_one {
            let compared: Vec<Comparison> = members.iter().map(&compare).collect::<Option<_>>()?;
            all.another_differs |= compared.contains(&Comparison::Differs) && !compared.contains(&Comparison::Agrees);
        }
        Some(all)
    }

    fn is_proof(&self, echoes: &Echoes) -> bool {
        self.agrees && (echoes.one_is_enough || !self.differs) && !self.another_differs
    }
}

fn compare(request: &Named, echo: &Echo, id: Option<&str>) -> Comparison {
    let mut own = echo.of.iter().filter_map(|parameter| request.text(parameter)).peekable();
    match id {
        _ if own.peek().is_none() => Comparison::NotSent,
        None => Comparison::Omitted,
        Some(id) if own.any(|own| own == id) => Comparison::Agrees,
        Some(_) => Comparison::Differs,
    }
}

/// Returns the same by comparing the bytes of the body, which is faster; `None` if that is inconclusive.
fn compare_as_written(sent: &SentRequest, echo: &Echo, id: Option<&str>) -> Option<Comparison> {
    let Some(id) = id else { return Some(Comparison::Omitted) };
    // A path leads into an object, where the bytes do not tell which one a member is of.
    if sent.body.is_empty() || echo.of.iter().any(|parameter| parameter.contains('.')) {
        return None;
    }
    let written = || echo.of.iter().map(|parameter| Written::find(&sent.body, parameter, id));
    if written().any(|written| written == Written::Same) {
        return Some(Comparison::Agrees);
    }
    written().all(|written| written == Written::Nowhere).then_some(Comparison::NotSent)
}

/// Returns the text of a member of an object, of an array whose places are the members, or of a value that is the only
/// one. An empty text is absent. Unreadable data is reported when all of it is read.
fn text_of<'a>(data: &Reader<'a>, member: &str, shows: Shows) -> Option<Cow<'a, str>> {
    written_text(data, member, shows).filter(|text| !text.is_empty())
}

fn written_text<'a>(data: &Reader<'a>, member: &str, shows: Shows) -> Option<Cow<'a, str>> {
    let members = match shows {
        Shows::OneOf(members) | Shows::Each(members) => members,
        Shows::Nothing | Shows::List => &[],
    };
    let mut data = data.ahead();
    match data.peek() {
        Kind::Object => {}
        Kind::Array => {
            let place = members.iter().position(|own| *own == member)?;
            go_to(&mut data, &[Step::Item(place)])?;
            return data.scalar().ok();
        }
        Kind::String | Kind::Number => return data.scalar().ok().filter(|_| members == [member]),
        Kind::Boolean | Kind::Null | Kind::Nothing => return None,
    }
    let mut found = data.object(&[]).ok()?;
    while let Some(name) = found.next_name(&mut data).ok()? {
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

/// Refuses data that does not show what it should; `None` stands for data that is absent. A listing of nothing may be
/// `null`. The results of a change may not: a success without any shows nothing of what was done.
pub(super) fn refuse_empty(meta: &Meta, data: Option<Reader<'_>>) -> Result<(), ReadError> {
    let Some(mut data) = data else {
        return if meta.shows == Shows::Nothing { Ok(()) } else { Err(ReadError::new(0, "there is no data")) };
    };
    let here = data.here();
    match meta.shows {
        Shows::Nothing => Ok(()),
        Shows::List if meta.effect == Effect::Read || lists_something(meta.list_member, data.ahead()) => Ok(()),
        Shows::List => Err(ReadError::new(here, "there is no list of results")),
        Shows::OneOf(members) => match shows_one_of(members, &mut data)? {
            true => Ok(()),
            false => Err(ReadError::new(here, "it contains no documented member")),
        },
        Shows::Each(members) => match missing_of(members, &mut data)? {
            None => Ok(()),
            Some(missing) => Err(ReadError::new(here, format!("there is no {missing:?}"))),
        },
    }
}

/// Returns whether data is a list, or an object with one: in its member `list`, or else of its values.
fn lists_something(list: Option<&'static str>, mut data: Reader<'_>) -> bool {
    if let (Kind::Object, Some(list)) = (data.peek(), list) {
        let mut within = data.ahead();
        if go_to(&mut within, &[Step::Member(list)]).is_some() {
            data = within;
        }
    }
    matches!(data.peek(), Kind::Array | Kind::Object)
}

/// Returns whether a record has one of its members. It can also travel as an array of their values, or as one value.
fn shows_one_of(members: &[&str], data: &mut Reader<'_>) -> Result<bool, ReadError> {
    match data.peek() {
        Kind::Object => {
            let mut found = data.object(&[])?;
            while let Some(name) = found.next_name(data)? {
                if members.contains(&&*name) {
                    return Ok(true);
                }
                data.skip()?;
            }
            Ok(false)
        }
        Kind::Array => Ok(data.array()?.next(data)?.is_some()),
        Kind::String | Kind::Number | Kind::Boolean => Ok(!data.scalar()?.is_empty()),
        Kind::Null | Kind::Nothing => Ok(false),
    }
}

/// Returns the first of the members that an object lacks.
fn missing_of<'m>(members: &[&'m str], data: &mut Reader<'_>) -> Result<Option<&'m str>, ReadError> {
    let mut missing: u64 = (1 << members.len()) - 1;
    if data.peek() == Kind::Object {
        let mut found = data.object(&[])?;
        while missing != 0
            && let Some(name) = found.next_name(data)?
        {
            missing &= members.iter().position(|member| *member == name).map_or(u64::MAX, |place| !(1 << place));
            // What comes after the last of them is read with the data.
            if missing != 0 {
                data.skip()?;
            }
        }
    }
    Ok(members.get(missing.trailing_zeros() as usize).copied())
}
