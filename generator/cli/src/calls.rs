//! The ways to call an operation, and what is reported of each.

use std::pin::Pin;
use std::sync::Arc;

use tradeapi_runtime::batches::{Batch, BatchCall, ItemOutcome, ItemReport, ItemsReply, UnmatchedResult};
use tradeapi_runtime::checks::CheckContext;
use tradeapi_runtime::client::{Callable, Departed};
use tradeapi_runtime::confirm::{self, ConfirmPolicy, Confirmable, ConfirmableItems, Confirmation, ConfirmedItem};
use tradeapi_runtime::error::{ExchangeError, UnknownOutcome};
use tradeapi_runtime::json::{Encode, JsonWriter};
use tradeapi_runtime::operation::Repeatable;
use tradeapi_runtime::pages::{PageError, Paged, Pages};
use tradeapi_runtime::parameters::{ParameterWriter, Parameters};
use tradeapi_runtime::retry::{RetryPolicy, Retrying};
use tradeapi_runtime::tables::Effect;
use tradeapi_runtime::{CheckPolicy, ClientCore, Error, Operation, Reply, Violations};

use crate::ending::{Ended, Ending, Failure, of_error};
use crate::output::Report;

/// Calls an operation.
pub(crate) type CallOf = for<'a> fn(Called<'a>) -> Running<'a>;

/// A call under way. It fails if nothing is reported but how it ended.
pub(crate) type Running<'a> = Pin<Box<dyn Future<Output = Result<Ended, Ended>> + Send + 'a>>;

/// The parts that a call needs.
pub(crate) struct Called<'a> {
    pub(crate) client: &'a ClientCore,
    /// The parameters of the request, as JSON.
    pub(crate) json: &'a str,
    /// The policy for the queries of an unknown outcome.
    pub(crate) policy: &'a ConfirmPolicy,
    /// The receiver of the result.
    pub(crate) to: &'a mut dyn Report,
    /// Waits until the command is told to end.
    pub(crate) stop: StopOf,
    /// True if a change goes on once something of it was sent.
    pub(crate) goes_on: bool,
}

/// Waits until a command is told to end.
pub(crate) type StopOf = Arc<dyn Fn() -> Pin<Box<dyn Future<Output = ()> + Send>> + Send + Sync>;

/// Makes a call with this effect, unless it is told to end before. Then it is known whether it was sent.
pub(crate) async fn unless_stopped(
    stop: &StopOf,
    effect: Effect,
    departed: &Departed,
    call: impl Future<Output = Result<Ended, Ended>>,
) -> Result<Ended, Ended> {
    tokio::select! {
        ended = call => ended,
        () = stop() => Err(match effect {
            Effect::Read => Ended::failed(Ending::NotDone, "interrupted"),
            _ if departed.at().is_none() => Ended::failed(Ending::NotDone, "interrupted before it was sent"),
            _ => Ended::failed(Ending::Unknown, "interrupted after it was sent"),
        }),
    }
}

/// Reads a request, with the rules for the account of the client.
fn request<O: Operation>(client: &ClientCore, json: &str) -> Result<O, Violations> {
    let context = CheckContext { account: client.account(), now: Some(client.now()), ..CheckContext::default() };
    O::from_json_in(json, context)
}

/// Sends a read, and reports its data, a list item by item.
pub(crate) async fn read<O>(called: Called<'_>) -> Result<Ended, Ended>
where
    O: Repeatable<Response: Encode> + Callable,
{
    let request = request::<O>(called.client, called.json)?;
    let reply = Retrying::new(called.client, &RetryPolicy::new()).call(&request).await?;
    let reply = reply.as_ref();
    called.to.warn(&reply.warnings);
    called.to.data(&tradeapi_runtime::json::write_json(&reply.data));
    Ok(Ended::DONE)
}

/// Reads all pages, and reports each item.
pub(crate) async fn pages<O>(called: Called<'_>) -> Result<Ended, Ended>
where
    O: Paged,
{
    let (policy, client) = (listing_rules(), called.client);
    let context =
        CheckContext { account: client.account(), now: Some(client.now()), policy: &policy, ..CheckContext::default() };
    let request = O::from_json_in(called.json, context)?;
    let mut pages = Pages::new(called.client.clone(), request).clip().retrying(RetryPolicy::new());
    let mut unreadable = 0;
    while let Some(page) = pages.next_page().await {
        let page = page.map_err(|error| match error {
            PageError::Call(error) => error.into(),
            error => Ended::failed(Ending::NotDone, error.to_string()),
        })?;
        if let Some(clipped) = page.clipped {
            called.to.note(&clipped.to_string());
        }
        unreadable += page.list.bad.len();
        for item in &page.list.items {
            if !called.to.item(&tradeapi_runtime::json::write_json(item), O::item_id(item)) {
                return Ok(Ended::DONE);
            }
        }
        called.to.progress();
    }
    match unreadable {
        0 => Ok(Ended::DONE),
        count => Err(Ended::failed(Ending::NotDone, format!("{count} items of the listing cannot be read"))),
    }
}

/// Returns the rules of a listing. A longer range is listed in parts, and of one that begins too early the rest.
pub(crate) fn listing_rules() -> CheckPolicy {
    CheckPolicy::new().off("window.span").off("window.access")
}

/// Sends a change that is harmless to repeat, and again if it gets no answer.
pub(crate) async fn repeatable<O>(called: Called<'_>) -> Result<Ended, Ended>
where
    O: Repeatable<Response: Encode> + Callable,
{
    let request = request::<O>(called.client, called.json)?;
    let reply = Retrying::new(called.client, &RetryPolicy::new()).call(&request).await?;
    Ok(report_repeated(called, reply.as_ref()))
}

/// Reports what was done, perhaps by a repeat.
fn report_repeated<T: Encode>(called: Called<'_>, reply: &Reply<T>) -> Ended {
    called.to.warn(&reply.warnings);
    if let Some(earlier) = &reply.earlier {
        called.to.note(&earlier.to_string());
    }
    report(called, Ending::Done, |out| reply.data.encode(out.member("data")))
}

/// Sends a cancellation, again if it gets no answer, and queries the order if its outcome stays unknown.
pub(crate) async fn cancellation<O>(called: Called<'_>) -> Result<Ended, Ended>
where
    O: Repeatable<Response: Encode + Sync> + Confirmable,
{
    let request = request::<O>(called.client, called.json)?;
    let unknown = match Retrying::new(called.client, &RetryPolicy::new()).call(&request).await {
        Ok(reply) => return Ok(report_repeated(called, reply.as_ref())),
        Err(Error::Unknown(unknown)) => unknown,
        Err(error) => return Err(error.into()),
    };
    let (policy, query) = (called.policy, <O::Query as Operation>::META.id);
    called.to.step(&format!("{}\n{}", answered(&unknown), asking(query, policy)));
    let confirmation = confirm::settle(called.client, &request, unknown.sent.signed_at, policy).await;
    match of_confirmation(&confirmation) {
        (ending, None) => {
            called.to.note(&format!("{}; the order is cancelled, as its record shows", unknown.why));
            Ok(report(called, ending, |out| write_done(&confirmation, |reply: &Reply<_>| &reply.data, out)))
        }
        (ending, Some(failure)) => {
            let (message, code) = (format!("{}\n{}", unknown.why, failure.message), unknown.code().map(str::to_owned));
            Err(Ended { ending, failure: Some(Failure { message, code, ..failure }) })
        }
    }
}

/// Sends a change once.
pub(crate) async fn change<O>(called: Called<'_>) -> Result<Ended, Ended>
where
    O: Callable<Response: Encode>,
{
    let request = request::<O>(called.client, called.json)?;
    let reply = called.client.call(&request).await?;
    let reply = reply.as_ref();
    called.to.warn(&reply.warnings);
    Ok(report(called, Ending::Done, |out| reply.data.encode(out.member("data"))))
}

/// Sends a change once, and queries its outcome if it is unknown.
pub(crate) async fn confirmed<O>(called: Called<'_>) -> Result<Ended, Ended>
where
    O: Confirmable<Response: Encode + Sync>,
{
    let request = request::<O>(called.client, called.json)?;
    let (policy, to) = (called.policy, &mut *called.to);
    let confirmation = confirm::place_and_confirm_reporting(called.client, &request, policy, &mut |unknown| {
        let query = <O::Query as Operation>::META.id;
        to.step(&format!("{}\n{}", answered(unknown), asking(query, policy)));
    })
    .await;
    if let Confirmation::Done(done) = &confirmation
        && let Some(answer) = &done.answer
    {
        called.to.warn(&answer.warnings);
    }
    match of_confirmation(&confirmation) {
        (ending, None) => {
            if let Some(note) = of_first_answer(&confirmation) {
                called.to.note(&note);
            }
            Ok(report(called, ending, |out| write_done(&confirmation, |reply: &Reply<_>| &reply.data, out)))
        }
        (ending, failure) => Err(Ended { ending, failure }),
    }
}

/// Returns what is asked by a query, and for how long.
fn asking(query: &str, policy: &ConfirmPolicy) -> String {
    format!("asking {query} whether it was done, for {} s at most", policy.lasts().as_secs())
}

/// Returns the answer that left the outcome of a change unknown which was done.
fn of_first_answer<A, R>(confirmation: &Confirmation<A, R>) -> Option<String> {
    let Confirmation::Done(done) = confirmation else { return None };
    let first = first_answer(done.call.as_deref())?;
    Some(format!("{}; it was done nevertheless, as the record shows", first.message))
}

/// Returns what was answered to a change, or became of it, so that its outcome is unknown.
fn answered(unknown: &UnknownOutcome) -> String {
    match unknown.why.remedy() {
        Some(remedy) => format!("{}\nhelp: {remedy}", unknown.why),
        None => unknown.why.to_string(),
    }
}

/// Returns what was answered to the call of a change that queries settled, as a failure.
fn first_answer(call: Option<&Error>) -> Option<Failure> {
    match call? {
        Error::Unknown(unknown) => Some(Failure {
            message: unknown.why.to_string(),
            code: unknown.code().map(str::to_owned),
            remedy: unknown.why.remedy(),
            ..Failure::default()
        }),
        error => Some(of_error(error).1),
    }
}

/// Sends a change whose answer lists successes and failures.
pub(crate) async fn results<O>(called: Called<'_>) -> Result<Ended, Ended>
where
    O: Callable<Response: Encode, Reply = ItemsReply<<O as Operation>::Response>>,
{
    let request = request::<O>(called.client, called.json)?;
    let reply = called.client.call(&request).await?;
    let failures = reply.failures();
    let ending = match reply.all_done() {
        true => Ending::Done,
        // What the answer does not mention, or claims without saying of which item, may have been done.
        false if reply.unmentioned() > 0 || !reply.bad().is_empty() || failures.is_empty() => Ending::Unknown,
        false => {
            let done = std::iter::repeat_n(Ending::Done, reply.succeeded());
            Ending::of_all(done.chain(failures.iter().map(|failure| failure.error.outcome.into())))
        }
    };
    Ok(report(called, ending, |out| {
        if !failures.is_empty() {
            out.member("failures").begin_array();
            for failure in failures {
                out.element().string(&failure.to_string());
            }
            out.end_array();
        }
        reply.data.encode(out.member("data"));
    }))
}

/// Sends a batch in as many calls as it takes, and reports each item. A request without items is one call.
pub(crate) async fn batch<O>(called: Called<'_>) -> Result<Ended, Ended>
where
    O: Batch<Response: Clone + Encode, Item: Send, Done: Encode + Send>
        + Callable<Reply = ItemsReply<<O as Operation>::Response>>,
{
    let request = request_of_any_length::<O>(called.client, called.json)?;
    if request.sent().is_none() {
        return without_items::<O>(called).await;
    }
    let report = BatchCall::new(called.client.clone(), request).send_until((called.stop)()).await?;
    called.to.warn(&report.warnings);
    let mut endings: Vec<_> = report.items.iter().map(|item| of_item(called.to, item)).collect();
    endings.extend(report_unasked(called.to, &report.unmatched, report.bad.len()));
    Ok(Ended::reported(Ending::of_all(endings)))
}

/// Sends a request that could have items and has none.
async fn without_items<O>(called: Called<'_>) -> Result<Ended, Ended>
where
    O: Callable<Response: Encode, Reply = ItemsReply<<O as Operation>::Response>>,
{
    let Called { client, json, policy, to, stop, goes_on } = called;
    let (client, departed) = client.noting();
    let called = Called { client: &client, json, policy, to, stop: Arc::clone(&stop), goes_on };
    unless_stopped(&stop, O::META.effect, &departed, results::<O>(called)).await
}

/// Sends a batch in as many calls as it takes, queries the items whose outcome is unknown, and reports each.
pub(crate) async fn confirmed_batch<O>(called: Called<'_>) -> Result<Ended, Ended>
where
    O: ConfirmableItems
        + Batch<Response: Clone + Encode, Item: Send, Done: Encode + Send>
        + Callable<Reply = ItemsReply<<O as Operation>::Response>>,
{
    let request = request_of_any_length::<O>(called.client, called.json)?;
    if request.sent().is_none() {
        return without_items::<O>(called).await;
    }
    let call = BatchCall::new(called.client.clone(), request);
    let (policy, to) = (called.policy, &mut *called.to);
    let mut report = |items: &[ConfirmedItem<O>]| {
        for item in items {
            if let Confirmation::Unknown(still) = &item.confirmation {
                let said = still.call.as_ref().map_or_else(|| still.because.to_string(), |call| call.to_string());
                to.step(&format!("{}: {said}", json_of(&item.item)));
            }
        }
        to.step(&asking(<O::Query as Operation>::META.id, policy));
    };
    let batch = call.send_and_confirm_reporting(policy, (called.stop)(), &mut report).await?;
    called.to.warn(&batch.warnings);
    let mut endings: Vec<_> = batch
        .items
        .iter()
        .map(|item| {
            let (ending, failure) = of_confirmation(&item.confirmation);
            called.to.item(
                &written(ending, failure.as_ref(), |out| {
                    out.member("item").raw(&json_of(&item.item));
                    if let Some(note) = of_first_answer(&item.confirmation) {
                        out.member("note").string(&note);
                    }
                    write_done(&item.confirmation, |done| done, out);
                }),
                None,
            );
            ending
        })
        .collect();
    endings.extend(report_unasked(called.to, &batch.unmatched, batch.bad.len()));
    Ok(Ended::reported(Ending::of_all(endings)))
}

/// Reports the results in an answer that belong to no item of the request, and returns how those ended that are failures.
fn report_unasked<T: Encode>(to: &mut dyn Report, unasked: &[UnmatchedResult<T>], unreadable: usize) -> Vec<Ending> {
    let mut endings = Vec::new();
    for UnmatchedResult { ids, result, .. } in unasked {
        let (ending, failure) = match result {
            Ok(_) => (Ending::Done, None),
            Err(error) => (error.outcome.into(), Some(of_exchange(error))),
        };
        let line = written(ending, failure.as_ref(), |out| {
            out.member("unasked").string("the answer lists it, and the request does not");
            out.member("ids").begin_array();
            ids.iter().flatten().for_each(|id| out.element().string(id));
            out.end_array();
            if let Ok(done) = result {
                done.encode(out.member("data"));
            }
        });
        to.item(&line, None);
        endings.extend(failure.map(|_| ending));
    }
    if unreadable > 0 {
        to.note(&format!("{unreadable} results in the answers cannot be read"));
    }
    endings
}

/// Returns why an item failed, by the answer of the exchange.
fn of_exchange(error: &ExchangeError) -> Failure {
    let (message, code) = (error.to_string(), Some(error.code.as_str().to_owned()));
    Failure { message, code, remedy: error.remedy(), ..Failure::default() }
}

/// Reads a request, whose rules are checked call by call where a batch is longer than a call takes.
fn request_of_any_length<O: Batch>(client: &ClientCore, json: &str) -> Result<O, Violations> {
    let unchecked = CheckPolicy::nothing();
    let context = CheckContext { account: client.account(), policy: &unchecked, ..CheckContext::default() };
    O::from_json_in(json, context)
}

/// Returns how an item of a batch ended; reports it.
fn of_item<I: Parameters, T: Encode>(to: &mut dyn Report, item: &ItemReport<I, T>) -> Ending {
    let failed = |error: &Error| {
        let (ending, failure) = of_error(error);
        (ending, Some(failure))
    };
    let with = |ending, message: &str| (ending, Some(Failure { message: message.to_owned(), ..Failure::default() }));
    let (ending, failure) = match &item.outcome {
        ItemOutcome::Done(_) => (Ending::Done, None),
        ItemOutcome::Failed(error) => (error.outcome.into(), Some(of_exchange(error))),
        ItemOutcome::CallFailed(error) => failed(error),
        ItemOutcome::NotSent => with(Ending::NotDone, "not sent, because the command was interrupted before"),
        ItemOutcome::GivenUp => with(Ending::Unknown, "interrupted after it was sent"),
        _ => with(Ending::Unknown, "the answer does not mention it"),
    };
    let line = written(ending, failure.as_ref(), |out| {
        out.member("item").raw(&json_of(&item.item));
        if let ItemOutcome::Done(done) = &item.outcome {
            done.encode(out.member("data"));
        }
    });
    to.item(&line, None);
    ending
}

/// Returns the JSON of an item.
fn json_of(item: &impl Parameters) -> String {
    let mut out = ParameterWriter::json();
    item.write(&mut out);
    out.finish()
}

/// Returns how a change ended, and why it is not done.
fn of_confirmation<A, R>(confirmation: &Confirmation<A, R>) -> (Ending, Option<Failure>) {
    match confirmation {
        Confirmation::Done(_) => (Ending::Done, None),
        Confirmation::NotDone(not) => match (&not.why, &not.state) {
            (_, Some(_)) => (Ending::NotDone, Some(Failure { message: not.to_string(), ..Failure::default() })),
            (Some(why), None) => {
                let (ending, failure) = of_error(why);
                // The proof of a change that may have been sent is the last word, not the error of its call.
                let ending = if ending == Ending::Refused { ending } else { Ending::NotDone };
                // The first answer says why, and the proof that it had no effect.
                let failure = match first_answer(not.call.as_deref()) {
                    Some(first) => {
                        let message = format!("{}\nit had no effect: {}", first.message, failure.message);
                        Failure { message, ..first }
                    }
                    None => failure,
                };
                (ending, Some(failure))
            }
            (None, None) => {
                let message = "not sent, because the command was interrupted before".to_owned();
                (Ending::NotDone, Some(Failure { message, ..Failure::default() }))
            }
        },
        Confirmation::Unknown(still) => {
            let call = still.call.as_ref().map(|call| format!("{call}\n")).unwrap_or_default();
            let message = format!("{call}{} queries did not settle it: {}", still.queries, still.because);
            let code = still.call.as_ref().and_then(|call| call.code()).map(str::to_owned);
            (Ending::Unknown, Some(Failure { message, code, ..Failure::default() }))
        }
    }
}

/// Writes the members that show what was done: the answer, or the record that proves it.
fn write_done<A, R: Encode, D: Encode + ?Sized>(
    confirmation: &Confirmation<A, R>,
    data: impl Fn(&A) -> &D,
    out: &mut JsonWriter,
) {
    let Confirmation::Done(done) = confirmation else { return };
    if let Some(answer) = &done.answer {
        data(answer).encode(out.member("data"));
    }
    if let Some(record) = done.record.as_ref().map(|record| &record.data).or(done.outside.as_ref()) {
        record.encode(out.member("record"));
    }
}

/// Reports a change, and how it ended.
fn report(called: Called<'_>, ending: Ending, write: impl FnOnce(&mut JsonWriter)) -> Ended {
    called.to.item(&written(ending, None, write), None);
    Ended::reported(ending)
}

/// Returns the line of a change or of an item.
fn written(ending: Ending, failure: Option<&Failure>, write: impl FnOnce(&mut JsonWriter)) -> String {
    let mut out = JsonWriter::new();
    out.begin_object();
    out.member("outcome").string(ending.as_str());
    write(&mut out);
    if let Some(failure) = failure {
        failure.write(&mut out);
    }
    out.end_object();
    out.finish()
}
