//! The envelope of responses: an object or an array. It is read in one pass: members after the data are read after it.
//! Some answers have values beside their data: the body of a refusal, and data in headers.

use std::borrow::Cow;

use super::response::Reply;
use crate::data::error::Error;
use crate::data::json::{
    Decode, Elements, JsonWriter, Kind, Mark, Members, ReadError, Reader, Record, came_before, read_json,
};
use crate::data::operation::{DynResponse, Operation};
use crate::data::tables::{Envelope, Path, Step as PathStep};
use crate::data::value::Timestamp;

/// An envelope, read as far as needed to distinguish success from failure.
pub(super) struct Opened<'a> {
    envelope: &'a Envelope,
    /// Where the data is; `None` if the whole body is the data.
    data_path: Option<Path>,
    from: Reader<'a>,
    around: Around<'a>,
    ended: bool,
    /// The data, or the value that contains it.
    data: Option<Mark>,
    /// The places of a code whose member was read, a bit for each.
    read_codes: u32,
    /// The code, and the index of its place among those that can have one.
    found_code: Option<(usize, Cow<'a, str>)>,
    found_message: Option<(usize, Cow<'a, str>)>,
    pub(super) time: Option<Timestamp>,
}

/// The kind of an envelope.
enum Around<'a> {
    Members(Members<'a>),
    Elements(Elements),
}

/// The name of a value within an envelope.
enum Key<'a> {
    Name(Cow<'a, str>),
    Place(usize),
}

impl Key<'_> {
    /// Returns whether it is the first step of a path.
    fn begins(&self, path: &[PathStep]) -> bool {
        match (self, path.first()) {
            (Self::Name(own), Some(PathStep::Member(name))) => own == name,
            (Self::Place(own), Some(PathStep::Item(place))) => own == place,
            (Self::Name(_) | Self::Place(_), _) => false,
        }
    }
}

/// Where the reader is now.
enum Step {
    BeforeData,
    BehindOther,
    AtEnd,
}

impl<'a> Opened<'a> {
    /// Reads up to the data if the code comes before it, and to the end otherwise.
    pub(super) fn open(envelope: &'a Envelope, data_path: Option<Path>, text: &'a str) -> Result<Self, ReadError> {
        let mut from = Reader::new(text);
        let start = from.mark();
        let mut paths = envelope.code.iter().chain(envelope.message).copied().chain(data_path);
        let around = match from.peek() {
            Kind::Array if paths.any(|path| matches!(path, [PathStep::Item(_), ..])) => Around::Elements(from.array()?),
            _ => Around::Members(from.object(&[])?),
        };
        let mut opened = Self {
            envelope,
            data_path,
            from,
            around,
            ended: false,
            data: data_path.is_none().then_some(start),
            read_codes: 0,
            found_code: None,
            found_message: None,
            time: None,
        };
        // A later member may be a place whose code takes precedence.
        let one_place = envelope.code.len() == 1;
        opened.read_on(|opened| one_place && opened.found_code.is_some())?;
        Ok(opened)
    }

    /// Returns the code.
    pub(super) fn code(&self) -> Option<&str> {
        self.found_code.as_ref().map(|(_, code)| &**code)
    }

    /// Returns the message; empty without one.
    pub(super) fn message(&self) -> &str {
        self.found_message.as_ref().map_or("", |(_, message)| message)
    }

    /// Returns another reader, at the beginning of the data, to look ahead.
    pub(super) fn ahead_at_data(&self) -> Option<Reader<'a>> {
        self.moved_to_data(self.from.ahead())
    }

    fn moved_to_data(&self, mut from: Reader<'a>) -> Option<Reader<'a>> {
        from.go_back(self.data?);
        go_to(&mut from, self.within_data())?;
        Some(from)
    }

    /// Makes records, from here on, keep their unknown members.
    pub(super) fn keep_unknown(&mut self) {
        self.from.keep_unknown();
    }

    /// Reads what follows the data, which is left unread.
    pub(super) fn without_data(&mut self) -> Result<(), ReadError> {
        if self.data_path.is_some() && self.data.is_some() && !self.ended {
            self.from.skip()?;
        }
        self.read_on(|_| false)
    }

    /// Reads the data, and what follows it. `list_member` is the member to read when the data is an object around a
    /// list.
    pub(super) fn data(&mut self, list_member: Option<&str>, into: &mut dyn DynResponse) -> Result<(), ReadError> {
        let Some(data) = self.data else { return self.without_any(into) };
        let ended = self.ended;
        if self.within_data().is_empty() {
            self.from.go_back(data);
            read_data(&mut self.from, list_member, into)?;
        } else {
            let Some(mut inner) = self.moved_to_data(self.from.clone()) else { return self.without_any(into) };
            read_data(&mut inner, list_member, into)?;
            self.from.go_back(data);
            self.from.skip()?;
        }
        if !ended {
            self.read_on(|_| false)?;
        }
        Ok(())
    }

    /// Takes what stands for data that is absent. Without a code of success, only data shows that it is one.
    fn without_any(&self, into: &mut dyn DynResponse) -> Result<(), ReadError> {
        match self.envelope.success {
            Some(_) => absent(into),
            None => Err(no_data()),
        }
    }

    /// Returns the path to the data from the marked value.
    fn within_data(&self) -> &'static [PathStep] {
        self.data_path.and_then(|path| path.get(1..)).unwrap_or_default()
    }

    /// Reads members until the data is reached and `stop_at_data` returns true, or else to the end.
    fn read_on(&mut self, stop_at_data: impl Fn(&Self) -> bool) -> Result<(), ReadError> {
        while !self.ended {
            match self.step()? {
                Step::BeforeData if stop_at_data(self) => return Ok(()),
                Step::BeforeData => self.from.skip()?,
                Step::BehindOther => {}
                Step::AtEnd => {
                    self.ended = true;
                    self.from.finish()?;
                }
            }
        }
        Ok(())
    }

    fn step(&mut self) -> Result<Step, ReadError> {
        let key = match &mut self.around {
            Around::Members(members) => members.next_name(&mut self.from)?.map(Key::Name),
            Around::Elements(elements) => elements.next(&mut self.from)?.map(Key::Place),
        };
        let Some(key) = key else { return Ok(Step::AtEnd) };
        let here = self.from.here();
        let twice = || Err(ReadError::new(here, "a second code or data"));
        let is_data = self.data_path.is_some_and(|path| key.begins(path));
        if is_data && self.data.is_some() || self.reads_code_again(&key) {
            return twice();
        }
        let start = self.from.mark();
        if is_data {
            self.data = Some(start);
            // Only a path into the data needs its text.
            if !self.has_place_in(&key) {
                return Ok(Step::BeforeData);
            }
        }
        let value = Value::read(&mut self.from)?;
        if let Some(found) = find(self.envelope.code, &key, &value)
            && self.found_code.as_ref().is_none_or(|(rank, _)| found.0 < *rank)
        {
            self.found_code = Some(found);
        }
        if let Some(found) = find(self.envelope.message, &key, &value)
            && self.found_message.as_ref().is_none_or(|(rank, _)| found.0 < *rank)
        {
            self.found_message = Some(found);
        }
        if matches!((&key, self.envelope.time), (Key::Name(name), Some(time)) if name == time) {
            // It may have any form, because nothing depends on it.
            self.time = value.scalar().and_then(|text| text.parse().ok()).map(Timestamp::from_millis);
        }
        if is_data {
            self.from.go_back(start);
            return Ok(Step::BeforeData);
        }
        Ok(Step::BehindOther)
    }

    /// Returns whether a code or a message can be within the value `key`.
    fn has_place_in(&self, key: &Key<'_>) -> bool {
        let mut paths = self.envelope.code.iter().chain(self.envelope.message);
        paths.any(|path| key.begins(path))
    }

    /// Returns whether the value `key` is a second one at a place for a code. Even if the first had no code, an answer
    /// with two proves nothing.
    fn reads_code_again(&mut self, key: &Key<'_>) -> bool {
        let places = self.envelope.code.iter().zip(0..u32::BITS).filter(|(path, _)| key.begins(path));
        let here = places.fold(0, |here, (_, place)| here | 1 << place);
        let is_again = self.read_codes & here != 0;
        self.read_codes |= here;
        is_again
    }
}

/// The value of a member of the envelope.
enum Value<'a> {
    /// The text of a string, a number or a boolean.
    Scalar(Cow<'a, str>),
    /// An object or an array as it is written.
    Nested(&'a str),
    Null,
}

impl<'a> Value<'a> {
    fn read(from: &mut Reader<'a>) -> Result<Self, ReadError> {
        match from.peek() {
            Kind::Object | Kind::Array => from.raw_value().map(Self::Nested),
            Kind::String | Kind::Number | Kind::Boolean => from.scalar().map(Self::Scalar),
            Kind::Null | Kind::Nothing => from.skip().map(|()| Self::Null),
        }
    }

    fn scalar(&self) -> Option<&Cow<'a, str>> {
        match self {
            Self::Scalar(text) => Some(text),
            Self::Nested(_) | Self::Null => None,
        }
    }

    /// Returns the text or number at `path`; `None` if there is none.
    fn text_at(&self, path: &[PathStep]) -> Option<Cow<'a, str>> {
        match self {
            Self::Scalar(text) if path.is_empty() => Some(text.clone()),
            Self::Nested(value) => text_at(value, path),
            Self::Scalar(_) | Self::Null => None,
        }
    }
}

/// Returns the first of `paths` that leads to a text or a number in the value `key`, and its text.
fn find<'a>(paths: &[Path], key: &Key<'_>, value: &Value<'a>) -> Option<(usize, Cow<'a, str>)> {
    let mut paths = paths.iter().enumerate().filter(|(_, path)| key.begins(path));
    paths.find_map(|(rank, path)| Some((rank, value.text_at(&path[1..])?)))
}

/// Returns the text or number at `path`; `None` if there is none.
pub(crate) fn text_at<'a>(value: &'a str, path: &[PathStep]) -> Option<Cow<'a, str>> {
    reader_at(value, path)?.scalar().ok()
}

/// Returns a reader at the value at `path`; `None` if there is none.
pub(crate) fn reader_at<'a>(value: &'a str, path: &[PathStep]) -> Option<Reader<'a>> {
    let mut from = Reader::new(value);
    go_to(&mut from, path)?;
    Some(from)
}

/// Moves to the value at `path`; `None` if there is none.
pub(super) fn go_to(from: &mut Reader<'_>, path: &[PathStep]) -> Option<()> {
    for step in path {
        match (step, from.peek()) {
            (PathStep::Member(name), Kind::Object) => {
                let mut members = from.object(&[]).ok()?;
                while members.next_name(from).ok()?? != *name {
                    from.skip().ok()?;
                }
            }
            (PathStep::Item(index), Kind::Array) => {
                let mut elements = from.array().ok()?;
                while elements.next(from).ok()?? < *index {
                    from.skip().ok()?;
                }
            }
            _ => return None,
        }
    }
    Some(())
}

/// Reads the data of an answer, whether or not it is in an envelope.
pub(super) fn read_data(
    from: &mut Reader<'_>,
    list_member: Option<&str>,
    into: &mut dyn DynResponse,
) -> Result<(), ReadError> {
    let start = from.mark();
    if from.take_nothing()? && into.take_absent() {
        return Ok(());
    }
    from.go_back(start);
    let around = find_list(from, list_member)?;
    into.read(from)?;
    match list_member.zip(around) {
        Some((list, mut around)) => skip_rest(from, &mut around, list),
        None => Ok(()),
    }
}

/// Takes what stands for data that is absent.
pub(super) fn absent(into: &mut dyn DynResponse) -> Result<(), ReadError> {
    if into.take_absent() { Ok(()) } else { Err(no_data()) }
}

fn no_data() -> ReadError {
    ReadError::new(0, "there is no data")
}

/// Goes to the member `list` of the object that comes next, if there is one; otherwise stays.
fn find_list<'a>(from: &mut Reader<'a>, list: Option<&str>) -> Result<Option<Members<'a>>, ReadError> {
    let Some(list) = list.filter(|_| from.peek() == Kind::Object) else { return Ok(None) };
    let start = from.mark();
    let mut members = from.object(&[])?;
    while let Some(name) = members.next_name(from)? {
        if name == list {
            return Ok(Some(members));
        }
        from.skip()?;
    }
    from.go_back(start);
    Ok(None)
}

/// Skips the members after the member `list`, which must not come again.
fn skip_rest<'a>(from: &mut Reader<'a>, members: &mut Members<'a>, list: &str) -> Result<(), ReadError> {
    while let Some(name) = members.next_name(from)? {
        if name == list {
            return Err(came_before(from));
        }
        from.skip()?;
    }
    Ok(())
}

/// An operation whose refusals have a body with fields of their own; see [`Error::refusal`].
pub trait RefusesWith: Operation {
    /// The whole body of a refusal.
    type Refusal: Decode;
}

/// An operation whose answers have data in their headers; see [`Reply::headers_of`].
pub trait AnswersWithHeaders: Operation {
    /// A record whose fields are headers of a success.
    type Headers: Record + Decode;
}

impl Error {
    /// Returns the body of the refusal, if the exchange refused a request of the operation `O`. `None` for any other
    /// error, and for a refusal with another body, such as that of a gateway; [`raw`](Self::raw) has it.
    pub fn refusal<O: RefusesWith>(&self) -> Option<O::Refusal> {
        let error = self.exchange().filter(|error| error.operation == O::META.id)?;
        read_json(std::str::from_utf8(&error.raw).ok()?).ok()
    }
}

impl<T> Reply<T> {
    /// Returns the headers with data, for an operation that describes some. A header that is missing, or is not UTF-8,
    /// is a field that is missing.
    ///
    /// # Errors
    ///
    /// Fails if a header is not of the type of its field.
    pub fn headers_of<O: AnswersWithHeaders>(&self) -> Result<O::Headers, ReadError> {
        let mut json = JsonWriter::new();
        json.begin_object();
        for name in <O::Headers as Record>::FIELDS {
            if let Some(value) = self.headers.get(*name).and_then(|value| std::str::from_utf8(value.as_bytes()).ok()) {
                json.member(name).string(value.trim());
            }
        }
        json.end_object();
        read_json(&json.finish())
    }
}
