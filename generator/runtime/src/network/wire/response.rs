//! From an HTTP response to a reply or an error.
//!
//! Data of a `Reply` is reached through `Deref`, and its own fields come first: `reply.order_id` is natural to write,
//! and a field of the data that is named like one of `Reply` is `reply.data.status`. Other names for the fields of
//! `Reply` would clash with those of other records.
//!
//! An answer must be complete and belong to its request. A truncated rejection proves nothing; a refusal without an id
//! is taken, because refusals of what the server could not read have none. A success proves something only if an id of
//! the request is in it and none contradicts: one of two may be missing, because real answers omit ids. Without any it
//! must be a full one, with the documented code, message and HTTP status (`success_with`), because a gateway may answer
//! for an exchange that never saw the request.
//!
//! A success also shows what its operation promises ([`Shows`](crate::data::tables::Shows)): a missing list would make a
//! complete page of nothing, or a result without failures.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;
use std::time::Duration;

use bytes::Bytes;
use http::response::Parts;
use http::{HeaderMap, Response, StatusCode};

use super::codes::{CodePolicy, ReadCode, is_compound};
use super::echo;
use super::envelope::{Opened, absent, go_to, read_data};
use super::headers::{NextPageHint, date, retry_after};
use crate::data::checks::Violations;
use crate::data::clock::Moment;
use crate::data::error::{Code, Error, ExchangeError, SentRequest, UnreadableAnswer};
use crate::data::json::{ReadError, Reader, write_json};
use crate::data::operation::{DynOperation, DynResponse, Operation, Received};
use crate::data::parameters::Named;
use crate::data::tables::{AnswerForm, Api, Around, CallResult, Effect, Envelope, Meta, Outcome, SuccessWith};
use crate::data::value::{Shown, Timestamp, part};

/// The number of characters of a response without a message that serve as one.
const MESSAGE: usize = 200;

/// Reads the HTTP response to an operation.
///
/// With an envelope, its code decides, not the HTTP status; without one, the status does. A success must also have the
/// message and the status of one, if they are documented, because nothing shows here which request it belongs to. Codes
/// are interpreted by the default [`CodePolicy`].
///
/// # Errors
///
/// Fails with [`Error::Exchange`] if the exchange refused the request, and with [`Error::Unreadable`] if the response
/// cannot be read.
pub fn read_response<O: Operation>(api: &Api, response: Response<Bytes>) -> Result<Reply<O::Response>, Error> {
    let remaining = remaining_calls(api, response.headers());
    // Without its parameters, a request that may do several things counts as one that does.
    let codes = &CodePolicy::default();
    let is_compound = || O::META.compound.is_some();
    let known =
        KnownRequest { codes, keeps_unknown: false, is_compound: &is_compound, lists_ids: &|| false, call: None };
    let mut data = Received::<O>::nothing();
    let reply = read(api, O::META, known, response, &|_| Ok(false), &mut data)?;
    Reply { remaining, ..reply }.with_data(data)
}

/// Reads as [`read_response`] does, for the request that was sent: the response to another one is unreadable. The
/// limiter reads the remaining calls. The data is read into `data`.
pub(crate) fn read_answer(
    api: &Api,
    AnswerSettings { codes, keeps_unknown }: AnswerSettings<'_>,
    operation: &dyn DynOperation,
    sent: &SentRequest,
    response: Response<Bytes>,
    data: &mut dyn DynResponse,
) -> Result<Reply<()>, Error> {
    let call = operation.meta().call.map(|_| sent);
    let lists_ids = || lists_ids(operation);
    let known =
        KnownRequest { codes, keeps_unknown, is_compound: &|| is_compound(operation), lists_ids: &lists_ids, call };
    let check = |data: Option<&Reader<'_>>| echo::repeats_an_id(operation, sent, data);
    let mut reply = read(api, operation.meta(), known, response, &check, data);
    if let Err(Error::Exchange(error)) = &mut reply {
        error.note_query(api.credentials.as_ref(), sent.uri.query());
    }
    reply
}

/// Returns whether the items of a request have ids, by which the results in its response are matched with them.
fn lists_ids(operation: &dyn DynOperation) -> bool {
    let id = operation.meta().client_id.as_ref();
    id.and_then(|id| Some((id.list?, id.parameter))).is_some_and(|(list, id)| {
        let named = Named::of(operation);
        named.items(list).iter().any(|item| item.text(id).is_some())
    })
}

/// Checks that data repeats an id of the request. Refuses data that does not belong to the request; `None` stands for
/// data that is absent.
type Check<'a> = &'a dyn Fn(Option<&Reader<'_>>) -> Result<bool, ReadError>;

fn read(
    api: &Api,
    meta: &'static Meta,
    known: KnownRequest<'_>,
    response: Response<Bytes>,
    check: Check<'_>,
    data: &mut dyn DynResponse,
) -> Result<Reply<()>, Error> {
    let (head, body) = response.into_parts();
    let body = without_mark(body);
    let answer = Answer { api, meta, known, head: &head, status: head.status, body: &body };
    answer.is_of_call()?;
    let (request_time, is_full) = match &api.envelope {
        Some(envelope) if answer.is_around(envelope) => answer.in_envelope(envelope, check, data)?,
        Some(_) | None => {
            answer.bare(check, data)?;
            (None, true)
        }
    };
    Ok(Reply {
        data: (),
        request_time,
        signed_at: None,
        left: None,
        is_full,
        may_answer_repeat: false,
        status: head.status,
        remaining: None,
        headers: head.headers,
        waited: Duration::ZERO,
        earlier: None,
        warnings: Violations::default(),
        raw: body,
    })
}

/// Returns the remaining calls of the rate limit, if the exchange reports them.
pub(crate) fn remaining_calls(api: &Api, headers: &HeaderMap) -> Option<u32> {
    let wanted = api.remaining_calls?.header;
    // A response has few headers: comparing them is cheaper than parsing and hashing the name for each response.
    let (_, value) = headers.iter().find(|(name, _)| name.as_str().eq_ignore_ascii_case(wanted))?;
    value.to_str().ok()?.trim().parse().ok()
}

/// The byte-order mark, with which UTF-8 texts of some systems begin.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The bytes with which a body compressed with gzip begins.
const GZIP: &[u8] = b"\x1f\x8b";

/// Returns a body without a byte-order mark, which is not part of its text.
fn without_mark(body: Bytes) -> Bytes {
    if body.starts_with(BYTE_ORDER_MARK) { body.slice(BYTE_ORDER_MARK.len()..) } else { body }
}

/// Returns whether `body` has the envelope of the API. Without an envelope, every body has.
pub(crate) fn is_in_envelope(api: &Api, body: &[u8]) -> bool {
    let Some(envelope) = &api.envelope else { return true };
    let body = body.strip_prefix(BYTE_ORDER_MARK).unwrap_or(body);
    let opened = std::str::from_utf8(body).ok().and_then(|text| Opened::open(envelope, envelope.data, text).ok());
    opened.is_some_and(|opened| opened.code().is_some())
}

/// Returns the exchange's time by the header `Date`, if the envelope contains no time. Otherwise the header is not
/// used, because it may come from a gateway before the exchange.
pub(crate) fn time_of_date_header(api: &Api, headers: &HeaderMap) -> Option<Timestamp> {
    let in_envelope = api.envelope.as_ref().is_some_and(|envelope| envelope.time.is_some());
    if in_envelope { None } else { date(headers) }
}

/// The settings by which a client reads answers.
#[derive(Clone, Copy)]
pub(crate) struct AnswerSettings<'a> {
    pub(crate) codes: &'a CodePolicy,
    /// True if records keep unknown members.
    pub(crate) keeps_unknown: bool,
}

/// The facts known about the request.
struct KnownRequest<'a> {
    codes: &'a CodePolicy,
    keeps_unknown: bool,
    is_compound: &'a dyn Fn() -> bool,
    lists_ids: &'a dyn Fn() -> bool,
    /// The request, if it is a call.
    call: Option<&'a SentRequest>,
}

struct Answer<'a> {
    api: &'a Api,
    known: KnownRequest<'a>,
    head: &'a Parts,
    meta: &'static Meta,
    status: StatusCode,
    body: &'a Bytes,
}

impl<'a> Answer<'a> {
    /// Returns whether the response is to be read with the envelope.
    fn is_around(&self, envelope: &Envelope) -> bool {
        // Data that is the whole body need not be an object, and then it has no code.
        let may_be_bare = envelope.success.is_none() && self.meta.data_path(self.api).is_none();
        let is_object = || self.body.trim_ascii_start().starts_with(b"{");
        match envelope.around {
            Around::Failures if self.status.is_success() => false,
            Around::All | Around::Failures => !may_be_bare || !self.status.is_success() || is_object(),
        }
    }

    /// Refuses the response to another call, whether it is a success or a refusal.
    fn is_of_call(&self) -> Result<(), Error> {
        match self.known.call.zip(self.api.calls.id) {
            Some((sent, id)) if echo::is_of_another_call(id, sent, self.body) => {
                Err(self.unreadable(ReadError::new(0, "it is the response to another call")))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Reads the data in an envelope. Returns the time in the envelope, and whether the success is a full one or repeats
    /// an id of the request.
    fn in_envelope(
        &self,
        envelope: &'a Envelope,
        check: Check<'_>,
        data: &mut dyn DynResponse,
    ) -> Result<(Option<Timestamp>, bool), Error> {
        let mut opened = self.open(envelope)?;
        if self.known.keeps_unknown {
            opened.keep_unknown();
        }
        let repeats = self.check_data(check, opened.ahead_at_data());
        let repeats = repeats.and_then(|repeats| opened.data(self.meta.list_member, data).map(|()| repeats));
        let repeats = repeats.map_err(|error| self.unreadable(error))?;
        let lack = if repeats { None } else { self.lack_of(envelope.success_with, &opened) };
        match lack {
            // Only results with an id of an item count then.
            Some(_) if (self.known.lists_ids)() => Ok((opened.time, false)),
            Some(why) => Err(self.unreadable(ReadError::new(0, why))),
            None => Ok((opened.time, true)),
        }
    }

    /// Checks that data repeats an id of the request. Refuses data that does not belong to the request, and data that
    /// shows nothing of what it should.
    fn check_data(&self, check: Check<'_>, data: Option<Reader<'_>>) -> Result<bool, ReadError> {
        Ok(check(data.as_ref())? || echo::refuse_empty(self.meta, data).map(|()| false)?)
    }

    /// Returns what a success lacks that the documents describe. A read changes nothing, so its message may be missing.
    fn lack_of(&self, success: SuccessWith, opened: &Opened<'_>) -> Option<&'static str> {
        let is_read = self.meta.effect == Effect::Read;
        if success.status.is_some_and(|status| status != self.status.as_u16()) {
            return Some("its code means success, but its HTTP status is another");
        }
        match (success.message, opened.message()) {
            (Some(_), "") if is_read => None,
            (Some(wanted), message) if message != wanted => Some("its code means success, but its message is another"),
            (Some(_) | None, _) => None,
        }
    }

    fn bare(&self, check: Check<'_>, data: &mut dyn DynResponse) -> Result<(), Error> {
        if !self.status.is_success() {
            return Err(self.refused_by_status());
        }
        let text = match self.meta.answer_form {
            AnswerForm::Json => Cow::Borrowed(self.text()?),
            AnswerForm::Text => Cow::Owned(write_json(&self.text()?.to_owned())),
            AnswerForm::Bytes => Cow::Borrowed(""),
        };
        let read = match text.trim_ascii().is_empty() {
            true => self.check_data(check, None).and_then(|_| absent(data)),
            false => self.bare_data(&text, check, data),
        };
        read.map_err(|error| self.unreadable(error))
    }

    fn bare_data(&self, text: &str, check: Check<'_>, data: &mut dyn DynResponse) -> Result<(), ReadError> {
        let mut from = Reader::new(text);
        if self.known.keeps_unknown {
            from.keep_unknown();
        }
        let whole = from.clone();
        if let Some(path) = self.meta.data {
            go_to(&mut from, path).ok_or_else(|| ReadError::new(0, "there is no data"))?;
        }
        self.check_data(check, Some(from.ahead()))?;
        read_data(&mut from, self.meta.list_member, data)?;
        if self.meta.data.is_some() {
            from = whole;
            from.skip()?;
        }
        from.finish()
    }

    /// Returns the envelope of a success, its data unread.
    fn open(&self, envelope: &'a Envelope) -> Result<Opened<'a>, Error> {
        let mut opened = self.open_success(envelope);
        // A response without an envelope comes from a gateway before the exchange.
        if matches!(opened, Err(Error::Unreadable(_))) && !self.status.is_success() {
            opened = Err(self.refused_by_status());
        }
        opened
    }

    fn open_success(&self, envelope: &'a Envelope) -> Result<Opened<'a>, Error> {
        let data = self.meta.data_path(self.api);
        let mut opened = Opened::open(envelope, data, self.text()?).map_err(|error| self.unreadable(error))?;
        self.refuse_failure(envelope, &mut opened)?;
        Ok(opened)
    }

    /// Refuses an envelope whose code is not that of a success.
    fn refuse_failure(&self, envelope: &Envelope, opened: &mut Opened<'_>) -> Result<(), Error> {
        let Some(code) = opened.code() else {
            return match envelope.success {
                None if self.status.is_success() => Ok(()),
                None | Some(_) => Err(self.unreadable(ReadError::new(0, "there is no code"))),
            };
        };
        if self.meta.is_success(self.api, code) {
            return Ok(());
        }
        let code = Code::new(code);
        // The rest contains the message, or shows that the response is truncated, and then its code may be as well.
        opened.without_data().map_err(|error| self.unreadable(error))?;
        let message = match opened.message() {
            "" => Cow::Owned(self.beginning()),
            message => Cow::Borrowed(message),
        };
        Err(self.refused(code, &message, opened.time))
    }

    /// Returns the beginning of the response, which stands for a message that is missing or has another name.
    fn beginning(&self) -> String {
        String::from_utf8_lossy(self.body.trim_ascii()).chars().take(MESSAGE).collect()
    }

    fn text(&self) -> Result<&'a str, Error> {
        if self.body.starts_with(GZIP) {
            return Err(self.unreadable(ReadError::new(0, "compressed with gzip, although no request asks for it")));
        }
        std::str::from_utf8(self.body)
            .map_err(|error| self.unreadable(ReadError::new(error.valid_up_to(), "not UTF-8")))
    }

    fn refused(&self, code: Code, message: &str, request_time: Option<Timestamp>) -> Error {
        let read = self.known.codes.read(self.api, self.meta, code.as_str());
        self.refused_as(read.call_result(), (code, read), message, request_time)
    }

    /// Returns the refusal of an answer without an envelope: the status decides, which families without an envelope
    /// list like codes.
    fn refused_by_status(&self) -> Error {
        let code = Code::new(self.status.as_str());
        let read = self.known.codes.read(self.api, self.meta, code.as_str());
        let call_result = match read.call_result() {
            listed if self.status_is_a_code() && listed != CallResult::UnlistedCode => listed,
            _ if self.status == StatusCode::TOO_MANY_REQUESTS => CallResult::TooManyRequests,
            _ if self.status.is_server_error() => CallResult::ServerError,
            _ => CallResult::OtherStatus,
        };
        self.refused_as(call_result, (code, read), &self.beginning(), None)
    }

    /// Returns whether a family can list HTTP statuses as codes: if a success has no code, they take its place.
    fn status_is_a_code(&self) -> bool {
        self.api.envelope.as_ref().is_none_or(|envelope| envelope.success.is_none())
    }

    /// Returns whether the body begins like an envelope and is truncated: it may have been a success.
    fn is_torn(&self) -> bool {
        let is_whole = |text| {
            let mut from = Reader::new(text);
            from.skip().is_ok() && from.finish().is_ok()
        };
        let begins = matches!(self.body.trim_ascii_start().first(), Some(b'{' | b'['));
        begins && !std::str::from_utf8(self.body).is_ok_and(is_whole)
    }

    fn refused_as(
        &self,
        call_result: CallResult,
        (code, read): (Code, ReadCode),
        message: &str,
        request_time: Option<Timestamp>,
    ) -> Error {
        let Self { api, meta, known, .. } = self;
        let by_code = match call_result {
            CallResult::TooManyRequests if self.is_torn() => Outcome::Unknown,
            _ => read.outcome(meta.effect, known.is_compound),
        };
        Error::Exchange(Box::new(ExchangeError {
            operation: meta.id,
            effect: meta.effect,
            outcome: read.outcome_in(api, meta.effect, call_result, by_code),
            call_result,
            known: read.known,
            proves: read.proves(),
            code,
            message: message.to_owned(),
            status: self.status,
            request_time,
            retry_after: retry_after(&self.head.headers),
            may_answer_repeat: read.may_answer_repeat(),
            skew: None,
            escaped_query: None,
            mismatch: None,
            raw: self.body.clone(),
            waited: Duration::ZERO,
        }))
    }

    fn unreadable(&self, error: ReadError) -> Error {
        let text = std::str::from_utf8(self.body).unwrap_or_default();
        let error = error.located(text);
        Error::Unreadable(Box::new(UnreadableAnswer {
            operation: self.meta.id,
            effect: self.meta.effect,
            outcome: self.api.outcome_of(self.meta.effect, CallResult::Unreadable, Outcome::Unknown),
            status: self.status,
            raw: self.body.clone(),
            error,
            waited: Duration::ZERO,
        }))
    }
}

/// The successful response to a request. It dereferences to the data: `reply.order_id` is a field of it. A field of the
/// data that has the name of one here is reached through [`data`](Self::data), as in `reply.data.status` or
/// `reply.data.data`.
///
/// It is printed without the raw response: `{:?}` shows the data and what is known about the call, `{}` the data alone.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reply<T> {
    /// The data.
    pub data: T,
    /// The time of the request by the exchange's clock; where the envelope has no time, that of the header `Date`.
    pub request_time: Option<Timestamp>,
    /// The time in the signature of the request; `None` if the request was not sent by a client.
    pub signed_at: Option<Timestamp>,
    pub(crate) left: Option<Moment>,
    /// True if it has all that the documents say of a success, or repeats an id of its request.
    pub(crate) is_full: bool,
    /// True if it came so late that it may belong to a repeat of the request.
    pub(crate) may_answer_repeat: bool,
    /// The HTTP status.
    pub status: StatusCode,
    /// The remaining calls of the rate limit, if the exchange reports them.
    pub remaining: Option<u32>,
    /// The time that the call waited for its rate limits.
    pub waited: Duration,
    /// The attempts of the same change that got no answer before this one did; see
    /// [`Retrying::cancel`](crate::calls::retry::Retrying::cancel).
    pub earlier: Option<EarlierAttempts>,
    /// Broken rules that only warn.
    pub warnings: Violations,
    /// The headers of the response.
    pub headers: HeaderMap,
    /// The whole response, which also contains what the types do not cover.
    pub raw: Bytes,
}

/// Attempts of a change that got no answer, although a later one was done: each may still be carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EarlierAttempts {
    /// The number.
    pub count: u32,
    /// Until when the last of them may be carried out, by the clock of this machine; `None` if its signature does not
    /// expire. What is placed afterwards stays.
    pub until: Option<Timestamp>,
}

impl EarlierAttempts {
    pub(crate) fn new(count: u32, until: Option<Timestamp>) -> Self {
        Self { count, until }
    }
}

impl fmt::Display for EarlierAttempts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.count {
            1 => f.write_str("an attempt got no answer and may still be carried out")?,
            count => write!(f, "{count} attempts got no answer and may still be carried out")?,
        }
        self.until.map_or(Ok(()), |until| write!(f, " until {until}"))
    }
}

impl Reply<()> {
    /// Returns the reply with the data that was read for it.
    pub(crate) fn with_data<O: Operation>(self, received: Received<O>) -> Result<Reply<O::Response>, Error> {
        match received.into_data() {
            Some(data) => Ok(self.map(|()| data)),
            None => Err(self.unreadable(O::META, Outcome::Unknown, "its data was not read")),
        }
    }
}

impl<T> Reply<T> {
    /// Returns the error for a reply that cannot belong to its request.
    pub(crate) fn unreadable(&self, meta: &Meta, outcome: Outcome, why: &'static str) -> Error {
        Error::Unreadable(Box::new(UnreadableAnswer {
            operation: meta.id,
            effect: meta.effect,
            outcome,
            status: self.status,
            raw: self.raw.clone(),
            error: ReadError::new(0, why),
            waited: self.waited,
        }))
    }

    /// Returns what the headers state about the next page of a listing.
    pub(crate) fn onward(&self, meta: &Meta) -> NextPageHint {
        NextPageHint::read(meta.next_page, &self.headers)
    }

    /// Returns the same with other data.
    pub(crate) fn map<U>(self, make: impl FnOnce(T) -> U) -> Reply<U> {
        let Self { data, request_time, signed_at, left, is_full, may_answer_repeat, status, .. } = self;
        let Self { remaining, waited, earlier, warnings, headers, raw, .. } = self;
        let data = make(data);
        Reply {
            data,
            request_time,
            signed_at,
            left,
            is_full,
            may_answer_repeat,
            status,
            remaining,
            waited,
            earlier,
            warnings,
            headers,
            raw,
        }
    }

    /// Returns the data alone.
    pub fn into_data(self) -> T {
        self.data
    }
}

impl<T> Reply<Option<T>> {
    /// Returns the reply with its data, if it has any.
    pub(crate) fn transpose(self) -> Option<Reply<T>> {
        let mut data = None;
        let reply = self.map(|found| data = found);
        data.map(|data| reply.map(|()| data))
    }
}

impl<T: fmt::Debug> fmt::Debug for Reply<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = Shown::new(f, "Reply");
        shown.field("data", Some(&self.data));
        shown.field("status", Some(&self.status));
        shown.field("request_time", part(&self.request_time));
        shown.field("signed_at", part(&self.signed_at));
        shown.field("remaining", part(&self.remaining));
        shown.field("waited", (!self.waited.is_zero()).then_some(&self.waited));
        shown.field("earlier", part(&self.earlier));
        shown.field("warnings", (!self.warnings.is_empty()).then_some(&self.warnings));
        shown.finish()
    }
}

impl<T: fmt::Display> fmt::Display for Reply<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.data.fmt(f)
    }
}

impl<T> AsRef<Self> for Reply<T> {
    fn as_ref(&self) -> &Self {
        self
    }
}

impl<T> Deref for Reply<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.data
    }
}
