//! A refusal answers one copy of a request. A proxy may have sent another before, which was done.

use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use serde_json::json;
use tradeapi::runtime::batches::{BatchCall, ItemOutcome};
use tradeapi::runtime::tables::{CodeProof, Outcome};
use tradeapi::runtime::wire::CodePolicy;
use tradeapi::unified::{
    BatchOrder, BatchOrderItem, CancelOrder, Category, ClientOid, Execution, OrderRef, PlaceOrder,
};
use tradeapi::{Client, Credentials, Decimal, Error, unified};
use tradeapi_tests::loopback::{Answer, Request, ScriptedServer};

/// Longer than the client waits by default before it takes an answer for that to a repeat.
const LATE: Duration = Duration::from_millis(1_100);

/// An exchange behind a proxy, which gets no answer to a change and sends it again: the first copy is done, and the
/// second is refused.
struct Repeating {
    server: ScriptedServer,
    done: Arc<Mutex<Vec<Request>>>,
}

impl Repeating {
    fn start(after: Duration, refusal: impl Fn() -> Answer + Send + Sync + 'static) -> Self {
        let (server, done) = (ScriptedServer::start().unwrap(), Arc::new(Mutex::new(Vec::new())));
        server.delay_requests(move |_, _| after);
        let first = Arc::clone(&done);
        server.answer_otherwise(move |request| {
            first.lock().unwrap().push(request.clone());
            refusal()
        });
        Self { server, done }
    }

    fn client(&self, codes: CodePolicy) -> Client {
        let credentials = Credentials::new("key", "secret", "passphrase");
        Client::builder(self.server.url()).credentials(credentials).codes(codes).build().unwrap()
    }

    /// Returns the outcome of an order, which was placed in any case.
    async fn place(&self, codes: CodePolicy) -> Outcome {
        let order = PlaceOrder::spot_market_buy("BTCUSDT", 100).client_oid(ClientOid::mint());
        let error = self.client(codes).unified().place_order(&order).await.unwrap_err();
        assert!(!self.done.lock().unwrap().is_empty());
        if matches!(error, Error::Unknown(_)) {
            assert!(error.to_string().contains("it may answer a repeat"), "{error}");
        }
        error.outcome()
    }
}

fn refusal(code: &str) -> Answer {
    let now = SystemTime::UNIX_EPOCH.elapsed().unwrap().as_millis();
    Answer::json(json!({"code": code, "msg": "no", "requestTime": now, "data": null}).to_string())
}

/// Reasons for which a copy may be refused because of the first one, or because it is later: a limit, a balance, a
/// position, the time, an account, credentials.
const MAY_DIFFER: [&str; 8] = ["429", "40762", "43012", "45006", "40008", "40710", "40037", "40018"];

/// Codes that the request alone decides.
const ALIKE: [&str; 4] = ["40019", "43006", "22038", "40404"];

#[tokio::test]
async fn a_late_refusal_proves_nothing_unless_every_copy_is_refused_alike() {
    let late = |codes: &'static [&'static str], outcome| async move {
        for code in codes {
            let exchange = Repeating::start(LATE, || refusal(code));
            assert_eq!(exchange.place(CodePolicy::new()).await, outcome, "{code}");
        }
    };
    tokio::join!(late(&MAY_DIFFER, Outcome::Unknown), late(&ALIKE, Outcome::NotDone));
    let gateway = Repeating::start(LATE, || Answer::new(429, ""));
    assert_eq!(gateway.place(CodePolicy::new()).await, Outcome::Unknown);
}

#[tokio::test]
async fn a_refusal_at_once_proves_what_its_code_says() {
    for code in MAY_DIFFER.iter().chain(&ALIKE) {
        let exchange = Repeating::start(Duration::ZERO, || refusal(code));
        assert_eq!(exchange.place(CodePolicy::new()).await, Outcome::NotDone, "{code}");
    }
}

#[tokio::test]
async fn the_policy_says_how_soon_a_repeat_may_follow() {
    for code in MAY_DIFFER {
        let exchange = Repeating::start(Duration::ZERO, move || refusal(code));
        assert_eq!(exchange.place(CodePolicy::new().repeats_after(Duration::ZERO)).await, Outcome::Unknown, "{code}");
    }
    // A code that the caller names is not excepted: it says what the code means, not that there are no repeats.
    let exchange = Repeating::start(Duration::ZERO, || refusal("999"));
    let named = CodePolicy::new().code("999", CodeProof::NotDone);
    assert_eq!(exchange.place(named.clone()).await, Outcome::NotDone);
    assert_eq!(exchange.place(named.repeats_after(Duration::ZERO)).await, Outcome::Unknown);
    for code in ALIKE {
        let exchange = Repeating::start(Duration::ZERO, move || refusal(code));
        assert_eq!(exchange.place(CodePolicy::new().repeats_after(Duration::ZERO)).await, Outcome::NotDone, "{code}");
    }
    let exchange = Repeating::start(LATE, || refusal("43012"));
    assert_eq!(exchange.place(CodePolicy::new().repeats_after(Duration::MAX)).await, Outcome::NotDone);
}

/// The first copy cancelled the order, so the second finds none.
#[tokio::test]
async fn a_cancellation_that_finds_no_order_may_be_the_repeat_of_one_that_did() {
    let cancel = CancelOrder::new(OrderRef::ClientOid(ClientOid::mint()));
    for (after, outcome) in [(Duration::ZERO, Outcome::NotDone), (LATE, Outcome::Unknown)] {
        let exchange = Repeating::start(after, || refusal("25204"));
        let error = exchange.client(CodePolicy::new()).unified().cancel_order(&cancel).await.unwrap_err();
        assert_eq!(error.outcome(), outcome, "{error}");
    }
}

fn outcome_of<T>(item: &ItemOutcome<T>) -> Outcome {
    match item {
        ItemOutcome::Failed(error) => error.outcome,
        _ => panic!("it was not refused"),
    }
}

#[tokio::test]
async fn items_of_a_repeat_prove_nothing_either() {
    let item = |id: &str| {
        let item =
            BatchOrderItem::new(Category::Spot, "BTCUSDT", Decimal::from(1), unified::Side::Buy, Execution::Market);
        item.client_oid(ClientOid::new(id).unwrap())
    };
    let answer = || {
        let items = json!([{"clientOid": "a", "code": "43012", "msg": "no"},
                           {"clientOid": "b", "code": "43006", "msg": "no"}]);
        Answer::json(json!({"code": "00000", "msg": "success", "requestTime": 1, "data": items}).to_string())
    };
    for (after, first) in [(Duration::ZERO, Outcome::NotDone), (LATE, Outcome::Unknown)] {
        let client = Repeating::start(after, answer);
        let core = client.client(CodePolicy::new());
        let batch = BatchOrder::new(vec![item("a"), item("b")]);
        let report = BatchCall::new(core.core().clone(), batch.clone()).send().await.unwrap();
        let outcomes: Vec<_> = report.items.iter().map(|item| outcome_of(&item.outcome)).collect();
        assert_eq!(outcomes, [first, Outcome::NotDone]);
        let direct = core.core().call(&batch).await.unwrap();
        let outcomes: Vec<_> = direct.failures().iter().map(|failure| failure.error.outcome).collect();
        assert_eq!(outcomes, [first, Outcome::NotDone]);
    }
}
