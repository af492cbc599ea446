//! The object around every response. It is read in one pass: members after the data are read after it.

use std::borrow::Cow;

use crate::json::{Decode, Kind, Mark, Members, ReadError, Reader};
use crate::tables::Envelope;
use crate::value::Timestamp;

/// An envelope, read as far as needed to distinguish success from failure.
pub(super) struct Opened<'a> {
    pub(super) envelope: &'a Envelope,
    from: Reader<'a>,
    members: Members,
    ended: bool,
    data: Option<Mark>,
    pub(super) code: Option<Cow<'a, str>>,
    pub(super) message: Cow<'a, str>,
    pub(super) time: Option<Timestamp>,
}

/// Where the reader stands now.
enum Step {
    BeforeData,
    BehindOther,
    AtEnd,
}

impl<'a> Opened<'a> {
    /// Reads until the data, if the code was before it; otherwise until the end.
    pub(super) fn open(envelope: &'a Envelope, text: &'a str) -> Result<Self, ReadError> {
        let mut from = Reader::new(text);
        let members = from.object(&[])?;
        let message = Cow::Borrowed("");
        let mut opened = Self { envelope, from, members, ended: false, data: None, code: None, message, time: None };
        opened.read_on(|opened| opened.code.is_some())?;
        Ok(opened)
    }

    /// A reader of its own where the data begins.
    pub(super) fn at_data(&self) -> Option<Reader<'a>> {
        let mut from = self.from.clone();
        from.go_back(self.data?);
        Some(from)
    }

    /// Reads what is behind the data, which is left unread.
    pub(super) fn without_data(&mut self) -> Result<(), ReadError> {
        if self.data.is_some() && !self.ended {
            self.from.skip()?;
        }
        self.read_on(|_| false)
    }

    /// Reads the data, and what is behind it. `list_member` is the member to read when the data is an object around a
    /// list.
    pub(super) fn data<T: Decode>(&mut self, list_member: Option<&str>) -> Result<T, ReadError> {
        let Some(data) = self.data else {
            return T::absent().ok_or_else(|| ReadError::new(0, "there is no data"));
        };
        let ended = self.ended;
        self.from.go_back(data);
        let value = read_data(&mut self.from, list_member)?;
        if !ended {
            self.read_on(|_| false)?;
        }
        Ok(value)
    }

    /// Reads members until the data is reached and `stop_at_data` says so, or else until the end.
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
        let Some(name) = self.members.next_name(&mut self.from)? else { return Ok(Step::AtEnd) };
        let is = |other: Option<&str>| other == Some(&*name);
        let twice = |from: &mut Reader<'_>| Err(ReadError::new(from.here(), "a second code or data"));
        if is(Some(self.envelope.data)) {
            return match self.data.replace(self.from.mark()) {
                Some(_) => twice(&mut self.from),
                None => Ok(Step::BeforeData),
            };
        }
        if is(Some(self.envelope.code)) {
            return match self.code.replace(self.from.scalar()?) {
                Some(_) => twice(&mut self.from),
                None => Ok(Step::BehindOther),
            };
        }
        let value = self.from.raw_value()?;
        // Message and time may have any form, because nothing depends on them.
        if is(self.envelope.message) {
            self.message = Reader::new(value).scalar().unwrap_or_default();
        } else if is(self.envelope.time) {
            self.time = Reader::new(value).value().ok();
        }
        Ok(Step::BehindOther)
    }
}

/// Reads the data of an answer, whether or not it stands in an envelope.
pub(super) fn read_data<T: Decode>(from: &mut Reader<'_>, list_member: Option<&str>) -> Result<T, ReadError> {
    let start = from.mark();
    if from.take_nothing()?
        && let Some(nothing) = T::absent()
    {
        return Ok(nothing);
    }
    from.go_back(start);
    let around = find_list(from, list_member)?;
    let value = T::decode(from)?;
    if let Some(mut around) = around {
        skip_rest(from, &mut around)?;
    }
    Ok(value)
}

/// Goes to the member `list` of the object that comes next, if there is one; otherwise stays.
fn find_list(from: &mut Reader<'_>, list: Option<&str>) -> Result<Option<Members>, ReadError> {
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

fn skip_rest(from: &mut Reader<'_>, members: &mut Members) -> Result<(), ReadError> {
    while members.next_name(from)?.is_some() {
        from.skip()?;
    }
    Ok(())
}
