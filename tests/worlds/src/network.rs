//! The network between a process and the exchange: what becomes of each message is a choice.

use std::sync::{Arc, Mutex};
use std::task::{Poll, Waker};
use std::time::Duration;

use bytes::Bytes;
use serde_json::{Value, json};
use tradeapi::runtime::error::{Delivery, TransportError, TransportErrorKind};
use tradeapi::runtime::transport::{ResponseFuture, Transport};

use crate::assumption::Assumption;
use crate::exchange::{Answer, Exchange, Request, RequestNumber, What, When, has_orders};
use crate::lock;
use crate::world::World;

/// The time that a message takes.
const WAY: Duration = Duration::from_millis(20);

/// The time-out of a call, as that of the default transport.
const CALL: Duration = Duration::from_secs(15);

/// The lag of a replica behind the books: less than the minute that the client assumes by default, and much more.
const LAG: Duration = Duration::from_secs(55);
const LONG_LAG: Duration = Duration::from_secs(3600);

/// The time for which the exchange holds an accepted request: less than the ten seconds that the client assumes by
/// default, and much more.
const HELD: Duration = Duration::from_secs(8);
const HELD_LONG: Duration = Duration::from_secs(240);

/// The delay of a copy of a request: more than the second that the client assumes by default.
const COPY: Duration = Duration::from_secs(2);

/// The beginning of a key that replaced another one.
pub(crate) const NEW: &str = "new-";

/// The connection of a process.
pub(crate) struct Line {
    pub(crate) world: Arc<World>,
    pub(crate) process: usize,
}

/// A message under way to the exchange.
#[derive(Clone)]
struct Message {
    world: Arc<World>,
    number: RequestNumber,
    /// The name at the points of a run.
    name: String,
    account: String,
    path: String,
    parameters: Value,
    signed_at: i64,
    caller: Caller,
}

/// The answer that a caller waits for. Only the first answer counts.
#[derive(Clone, Default)]
struct Caller(Arc<Mutex<Waiting>>);

#[derive(Default)]
struct Waiting {
    end: Option<Result<http::Response<Bytes>, TransportError>>,
    waker: Option<Waker>,
    is_over: bool,
}

impl Transport for Line {
    fn send<'a>(&'a self, request: http::Request<Bytes>) -> ResponseFuture<'a> {
        Box::pin(async move {
            let caller = self.begin(&request);
            std::future::poll_fn(|context| {
                let mut waiting = lock(&caller.0);
                match waiting.end.take() {
                    Some(end) => Poll::Ready(end),
                    None => {
                        waiting.waker = Some(context.waker().clone());
                        Poll::Pending
                    }
                }
            })
            .await
        })
    }
}

impl Line {
    fn begin(&self, request: &http::Request<Bytes>) -> Caller {
        let world = &self.world;
        let header = |name: &str| request.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let path = request.uri().path().to_owned();
        let parameters = match request.method() {
            &http::Method::GET => query(request.uri().query().unwrap_or_default()),
            _ => serde_json::from_slice(request.body()).unwrap_or_default(),
        };
        let operation = path.rsplit('/').next().unwrap_or_default().to_owned();
        let is_change = request.method() == http::Method::POST;
        let (number, name) = world.sent(self.process, operation, &parameters, is_change);
        let message = Message {
            world: Arc::clone(world),
            number,
            name,
            account: account_of(header("access-key")).to_owned(),
            path,
            parameters,
            signed_at: header("access-timestamp").parse().unwrap_or_default(),
            caller: Caller::default(),
        };
        let target = request.uri().path_and_query().map_or("/", |target| target.as_str());
        let body = String::from_utf8_lossy(request.body());
        world.tell(|| format!("process {} sends {}: {target} {body}", self.process, message.name));
        let caller = message.caller.clone();
        let slow = caller.clone();
        world.time.after(CALL, move || slow.end(Err(failed(TransportErrorKind::Timeout))));
        if is_change && !has_orders(&message.parameters) {
            message.after(WAY, |message| message.reply(&message.served(message.when())));
        } else if is_change {
            message.send();
            world.is_killed_at(self.process, || format!("{}, sent", message.name));
            world.step_clocks(|| message.name.clone());
        } else {
            message.after(WAY, Message::read);
        }
        caller
    }
}

impl Message {
    /// Sends a request to change something.
    fn send(&self) {
        let long = self.world.breaks(Assumption::Settling).then_some("is held for minutes");
        let old = self.world.breaks(Assumption::Window).then_some("is minutes late");
        let at_once = self.world.breaks(Assumption::Repeats).then_some("arrives twice at once");
        let options = ["arrives", "is lost", "is 5 s late", "is 25 s late and held", "arrives twice"];
        let late = WAY + Duration::from_secs(25);
        match self.choose("request", options.into_iter().chain(long).chain(old).chain(at_once).collect()) {
            "is lost" => self.lose(),
            "is 5 s late" => self.after(WAY + Duration::from_secs(5), Self::change),
            "is 25 s late and held" => self.after(late, |message| message.hold(HELD)),
            "is held for minutes" => self.after(WAY, |message| message.hold(HELD_LONG)),
            "is minutes late" => {
                let gate = self.when().gate;
                self.after(HELD_LONG, move |message| message.change_accepted_at(gate));
            }
            "arrives twice" => self.after(WAY, |message| message.change_twice(COPY)),
            "arrives twice at once" => self.after(WAY, |message| message.change_twice(Duration::ZERO)),
            _ => self.after(WAY, Self::change),
        }
    }

    /// Loses the request, which does not arrive.
    fn lose(&self) {
        let mut options =
            vec!["does not come", "is a lost connection", "is 40010", "shows nothing", "is a gateway's success"];
        // The answer to another request without an id cannot be told from that to this one.
        let is_named = ["clientOid", "orderId"].iter().any(|id| self.parameters[id].is_string());
        let others = is_named.then_some(["is another's", "is another's by orderId"]);
        options.extend(others.into_iter().flatten());
        let success = || Answer::of(json!({"orderId": "", "clientOid": ""}), self.when().stated);
        match self.choose("answer", options) {
            "is a lost connection" => self.after(WAY, |message| message.caller.end(Err(lost()))),
            "is 40010" => self.after(WAY, |message| message.reply(&message.refusal("40010"))),
            "is another's" => self.reply(&success().of_another(true)),
            "is another's by orderId" => self.reply(&success().of_another(false)),
            "shows nothing" => self.reply(&Answer::of(json!({}), self.when().stated)),
            "is a gateway's success" => self.reply(&success().by_gateway()),
            _ => {}
        }
    }

    fn change(self) {
        let answer = self.served(self.when());
        self.answer_change(answer);
    }

    /// Holds the request: the exchange checks the signature now, and does what is asked for later.
    fn hold(self, length: Duration) {
        let gate = self.when().gate;
        self.after(length, move |message| message.change_accepted_at(gate));
    }

    fn change_accepted_at(self, gate: i64) {
        let answer = self.served(When { gate, ..self.when() });
        self.reply(&answer);
    }

    /// Carries out a copy that arrives after the request, and is answered; the answer to the request is lost. Unless
    /// that is assumed otherwise, an exchange that does not recognize the copy by an id gets none: nothing that a
    /// client does could help.
    fn change_twice(self, later: Duration) {
        let first = self.served(self.when());
        let has_id = |parameters: &Value| parameters["clientOid"].is_string();
        let has_ids = self.parameters.as_array().map_or_else(|| has_id(&self.parameters), |all| all.iter().all(has_id));
        let is_recognized = has_ids && !self.world.scenario.conduct.allows_duplicates;
        if !is_recognized && !self.world.breaks(Assumption::Repeats) {
            return self.answer_change(first);
        }
        self.after(later, |message| {
            let second = message.served(message.when());
            message.answer_change(second);
        });
    }

    fn answer_change(self, answer: Answer) {
        let mut options = vec!["arrives", "is lost", "does not come", "is cut", "is 40010", "is a gateway's"];
        if answer.is_success() {
            options.extend(self.world.breaks(Assumption::Codes).then_some("is a refusal nevertheless"));
            options.extend(["is another's", "is another's by orderId", "shows nothing"]);
            options.extend(
                answer.lists_items().then_some(["leaves an item open", "leaves out an item"]).into_iter().flatten(),
            );
            options.extend(self.world.breaks(Assumption::Answers).then_some("is another's refusal"));
        }
        match self.choose("answer", options) {
            "is lost" => self.after(WAY, |message| message.caller.end(Err(lost()))),
            "does not come" => {}
            "is cut" => self.reply(&answer.cut()),
            "is 40010" => self.reply(&self.refusal("40010")),
            "is a gateway's" => self.reply(&answer.of_gateway()),
            "is another's" => self.reply(&answer.of_another(true)),
            "is another's by orderId" => self.reply(&answer.of_another(false)),
            "shows nothing" => self.reply(&Answer::of(json!({}), self.when().stated)),
            "leaves an item open" => self.reply(&answer.with_open_item("40010")),
            "leaves out an item" => self.reply(&answer.without_item()),
            "is a refusal nevertheless" => self.reply(&self.refusal("25200")),
            "is another's refusal" => self.reply(&self.refusal("40762")),
            _ => self.reply(&answer),
        }
    }

    /// Answers a request that reads.
    fn read(self) {
        // The machine that answers checks and dates by one clock.
        let (world, when) = (&self.world, self.when());
        let when = When { gate: when.stated, ..when };
        let answer = self.served(when);
        // What has no orders is read in every world.
        if !has_orders(&self.parameters) {
            return self.reply(&answer);
        }
        let (lags, lags_long) = (self.behind(when, LAG), self.behind(when, LONG_LAG));
        let mut options = vec!["arrives"];
        options.extend((lags != answer).then_some("lags"));
        options.extend((world.breaks(Assumption::Lag) && lags_long != answer).then_some("lags by minutes"));
        let denial =
            Exchange::denial(&self.path, when.stated).filter(|denial| answer.is_success() && *denial != answer);
        let key = self.parameters.to_string();
        options.extend((denial.is_some() && world.may_be_denied(&key)).then_some("denies it"));
        options.extend(["is lost", "is cut", "is a gateway's"]);
        options
            .extend((denial.is_some() && !denial.as_ref().is_some_and(Answer::is_success)).then_some("is another's"));
        let choice = self.choose("answer", options);
        world.note_denial(&key, choice == "denies it");
        match choice {
            "lags" => self.reply(&lags),
            "lags by minutes" => self.reply(&lags_long),
            "denies it" => self.reply(&denial.unwrap_or(answer)),
            "is lost" => self.after(WAY, |message| message.caller.end(Err(lost()))),
            "is cut" => self.reply(&answer.cut()),
            "is a gateway's" => self.reply(&answer.of_gateway()),
            "is another's" => self.reply(&answer.of_another(true)),
            _ => self.reply(&answer),
        }
    }

    /// Returns what a replica answers that is `lag` behind.
    fn behind(&self, when: When, lag: Duration) -> Answer {
        let lag = i64::try_from(lag.as_millis()).unwrap_or(i64::MAX);
        self.served(When { shown: when.now - lag, ..when })
    }

    fn served(&self, when: When) -> Answer {
        let mut exchange = lock(&self.world.exchange);
        let before = exchange.effects.len();
        let Self { number, account, path, parameters, signed_at, .. } = self;
        let request = Request { number: *number, account, path, parameters, signed_at: *signed_at };
        let answer = exchange.answer(&request, when);
        let effects = exchange.effects[before..].to_vec();
        drop(exchange);
        for effect in effects {
            self.world.tell(|| format!("the exchange does {}: {:?}", self.name, effect.what));
            match effect.what {
                What::Placed(order) => self.world.let_it_end(&self.name, order),
                What::CountsDown(Some(until)) => self.world.let_it_fire(&self.account, until),
                _ => {}
            }
        }
        answer
    }

    fn refusal(&self, code: &'static str) -> Answer {
        Answer::refused((code, "It was refused or timed out."), self.when().stated)
    }

    fn reply(&self, answer: &Answer) {
        self.world.tell(|| format!("the answer to {} leaves: {}", self.name, answer.text()));
        let (response, caller) = (answer.response(), self.caller.clone());
        self.world.time.after(WAY, move || caller.end(Ok(response)));
    }

    fn when(&self) -> When {
        let (now, ahead) = (self.world.time.right(), self.world.time.ahead());
        When { now, gate: now + ahead.gate, stated: now + ahead.answers, shown: now }
    }

    fn after(&self, length: Duration, act: impl FnOnce(Self) + Send + 'static) {
        let message = self.clone();
        self.world.time.after(length, move || act(message));
    }

    fn choose(&self, about: &str, options: Vec<&'static str>) -> &'static str {
        self.world.choose(|| format!("{}: {about}", self.name), options)
    }
}

impl Caller {
    fn end(&self, end: Result<http::Response<Bytes>, TransportError>) {
        let mut waiting = lock(&self.0);
        if waiting.is_over {
            return;
        }
        (waiting.end, waiting.is_over) = (Some(end), true);
        let waker = waiting.waker.take();
        drop(waiting);
        waker.into_iter().for_each(Waker::wake);
    }
}

fn failed(kind: TransportErrorKind) -> TransportError {
    TransportError::new(kind, Delivery::MaybeSent)
}

fn lost() -> TransportError {
    failed(TransportErrorKind::Closed)
}

/// Returns the account that a key belongs to: that of the key which it replaced, if it did.
fn account_of(key: &str) -> &str {
    key.strip_prefix(NEW).unwrap_or(key)
}

/// Returns the parameters of a query. None here has an escape.
fn query(text: &str) -> Value {
    let pairs = text.split('&').filter_map(|pair| pair.split_once('='));
    pairs.map(|(name, value)| (name.to_owned(), Value::from(value))).collect()
}
