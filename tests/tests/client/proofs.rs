//! The proof in an answer: a success counts only if it repeats an id of the request and contradicts none, or if it is
//! as the documents say in every respect and shows what they promise; a refusal counts only if it is whole.

use tradeapi::runtime::client::{Callable, LimitMode};
use tradeapi::runtime::tables::{CallResult, Outcome};
use tradeapi::{Client, Credentials, Decimal, Error, classic, unified};
use tradeapi_tests::loopback::{Answer, ScriptedServer};

fn client(server: &ScriptedServer) -> Client {
    let credentials = Credentials::new("key", "secret", "passphrase");
    Client::builder(server.url()).credentials(credentials).limits(LimitMode::Off).build().unwrap()
}

/// Returns the outcome of a change with this answer: `Ok` if it is taken for a success.
async fn outcome_of<O: Callable>(operation: &O, answer: Answer) -> Result<(), Outcome> {
    let server = ScriptedServer::start().unwrap();
    server.answer_next(answer);
    let result = client(&server).call(operation).await.map(drop);
    result.map_err(|error| {
        if error.outcome() == Outcome::Unknown {
            assert!(matches!(error, Error::Unknown(_)), "{error}");
        }
        error.outcome()
    })
}

fn success(data: &str) -> Answer {
    Answer::json(format!(r#"{{"code":"00000","msg":"success","requestTime":1,"data":{data}}}"#))
}

/// Returns whether a change with these data is a success; otherwise its outcome is unknown.
async fn is_done<O: Callable>(operation: &O, data: &str) -> bool {
    match outcome_of(operation, success(data)).await {
        Ok(()) => true,
        Err(outcome) => {
            assert_eq!(outcome, Outcome::Unknown, "{data}");
            false
        }
    }
}

/// Returns whether a read of these data succeeds; otherwise the answer is unreadable.
async fn is_read<O: Callable>(operation: &O, answer: Answer) -> bool {
    let server = ScriptedServer::start().unwrap();
    server.answer_next(answer);
    match client(&server).call(operation).await.map(drop) {
        Ok(()) => true,
        Err(error) => {
            assert_eq!(error.call_result(), CallResult::Unreadable, "{error}");
            false
        }
    }
}

fn place(id: Option<&str>) -> unified::PlaceOrder {
    let order = unified::PlaceOrder::new(
        unified::Category::Spot,
        "BTCUSDT",
        Decimal::from(1_u64),
        unified::Side::Buy,
        unified::Execution::limit(2),
    );
    match id {
        Some(id) => order.client_oid(unified::ClientOid::new(id).unwrap()),
        None => order,
    }
}

fn by_order_id(id: &str) -> unified::CancelOrder {
    unified::CancelOrder::new(unified::OrderRef::OrderId(id.into()))
}

fn by_client_oid(id: &str) -> unified::CancelOrder {
    unified::CancelOrder::new(unified::OrderRef::ClientOid(unified::ClientOid::new(id).unwrap()))
}

/// An empty text stands for an id that is absent, as `null` does.
#[tokio::test(flavor = "current_thread")]
async fn an_answer_repeats_an_id_of_its_request() {
    for (data, of_placement, by_own_id, by_exchange_id) in [
        (r#"{"orderId":"1","clientOid":"a"}"#, true, true, true),
        (r#"{"orderId":"9","clientOid":"a"}"#, true, true, false),
        (r#"{"orderId":null,"clientOid":"a"}"#, true, true, false),
        (r#"{"orderId":"","clientOid":"a"}"#, true, true, false),
        // The caller of a cancellation by one id need not know the other.
        (r#"{"orderId":"1","clientOid":"b"}"#, false, false, true),
        (r#"{"orderId":"1","clientOid":""}"#, false, false, true),
        (r#"{"orderId":"1"}"#, false, false, true),
        (r#"{"orderId":"9"}"#, false, false, false),
        (r#"{"orderId":"9","clientOid":null}"#, false, false, false),
        (r#"{"clientOid":"b"}"#, false, false, false),
        (r#"{"orderId":"","clientOid":"b"}"#, false, false, false),
    ] {
        assert_eq!(is_done(&place(Some("a")), data).await, of_placement, "{data}");
        assert_eq!(is_done(&by_client_oid("a"), data).await, by_own_id, "{data}");
        assert_eq!(is_done(&by_order_id("1"), data).await, by_exchange_id, "{data}");
        let detail = unified::GetOrderDetails::new(unified::OrderRef::OrderId("1".into()));
        assert_eq!(is_read(&detail, success(data)).await, by_exchange_id, "{data}");
    }
}

/// Without an id of the request, a success is code, message and status together.
#[tokio::test(flavor = "current_thread")]
async fn a_success_without_an_id_is_as_the_documents_say() {
    let body = |msg: &str, data: &str| format!(r#"{{"code":"00000",{msg}"requestTime":1,"data":{data}}}"#);
    let msg = r#""msg":"success","#;
    for (status, msg, data, is_success) in [
        (200, msg, r#"{"orderId":"1","clientOid":""}"#, true),
        (200, msg, r#"{"orderId":null,"clientOid":null}"#, true),
        (502, msg, r#"{"orderId":"1","clientOid":""}"#, false),
        (400, msg, r#"{"orderId":"1","clientOid":""}"#, false),
        (202, msg, r#"{"orderId":"1","clientOid":""}"#, false),
        (200, r#""msg":"accepted","#, r#"{"orderId":"1","clientOid":""}"#, false),
        (200, "", r#"{"orderId":"1","clientOid":""}"#, false),
        (200, r#""msg":"in progress","#, "null", false),
        (200, msg, "null", false),
        (200, msg, "{}", false),
        (200, msg, r#"{"list":[]}"#, false),
        (502, msg, "null", false),
    ] {
        let answer = Answer::json(body(msg, data)).status(status);
        let expected = if is_success { Ok(()) } else { Err(Outcome::Unknown) };
        assert_eq!(outcome_of(&place(None), answer).await, expected, "{status} {msg} {data}");
    }
    // An id of the request shows that the exchange answered it.
    let named = Answer::json(body("", r#"{"orderId":"1","clientOid":"a"}"#)).status(502);
    assert_eq!(outcome_of(&place(Some("a")), named).await, Ok(()));
    // A listing of a gateway is none.
    let open = unified::GetOpenOrders::new();
    for (status, msg, expected) in
        [(200, msg, true), (200, "", true), (502, msg, false), (200, r#""msg":"no","#, false)]
    {
        let answer = Answer::json(body(msg, r#"{"list":[],"cursor":null}"#)).status(status);
        assert_eq!(is_read(&open, answer).await, expected, "{status} {msg}");
    }
}

#[tokio::test(flavor = "current_thread")]
async fn a_result_has_its_lists() {
    let close = classic::FlashClosePosition::new(classic::ProductType::UsdtFutures);
    let cancel_all = classic::CancelAllOrders::new(classic::ProductType::UsdtFutures);
    let cancel = classic::BatchCancel::new(classic::ProductType::UsdtFutures).symbol("BTCUSDT");
    for (data, expected) in [
        (r#"{"successList":[],"failureList":[]}"#, true),
        (r#"{"successList":null,"failureList":null}"#, true),
        (r#"{"failureList":[],"successList":[{"orderId":"1"}]}"#, true),
        ("{}", false),
        ("null", false),
        (r#"{"failList":[{"orderId":"1"}]}"#, false),
        (r#"{"successList":[{"orderId":"1"}],"failList":[{"orderId":"2"}]}"#, false),
        (r#"{"failureList":[]}"#, false),
    ] {
        assert_eq!(is_done(&close, data).await, expected, "{data}");
        assert_eq!(is_done(&cancel_all, data).await, expected, "{data}");
        assert_eq!(is_done(&cancel, data).await, expected, "{data}");
    }
    let cancel_all = unified::CancelAllOrders::new(unified::Category::Spot);
    for (data, expected) in [
        ("[]", true),
        ("null", false),
        (r#"{"list":[]}"#, true),
        (r#"{"list":null}"#, false),
        ("{}", false),
        (r#"{"orders":[]}"#, false),
    ] {
        assert_eq!(is_done(&cancel_all, data).await, expected, "{data}");
    }
    let without = Answer::json(r#"{"code":"00000","msg":"success","requestTime":1}"#);
    assert_eq!(outcome_of(&cancel_all, without).await, Err(Outcome::Unknown));
}

#[tokio::test(flavor = "current_thread")]
async fn a_page_has_its_list_and_a_record_one_of_its_members() {
    let open = unified::GetOpenOrders::new();
    for (data, expected) in [
        (r#"{"list":[],"cursor":null}"#, true),
        (r#"{"list":null,"cursor":null}"#, true),
        (r#"{"cursor":null,"list":[]}"#, true),
        (r#"{"orders":[],"cursor":null}"#, false),
        (r#"{"cursor":"1"}"#, false),
        ("{}", false),
        ("null", false),
    ] {
        assert_eq!(is_read(&open, success(data)).await, expected, "{data}");
    }
    let pending = classic::GetPendingOrders::new(classic::ProductType::UsdtFutures);
    for (data, expected) in [
        (r#"{"entrustedList":null,"endId":null}"#, true),
        (r#"{"list":[],"endId":null}"#, false),
        (r#"{"endId":null}"#, false),
    ] {
        assert_eq!(is_read(&pending, success(data)).await, expected, "{data}");
    }
    let assets = unified::GetAccountAssets::new();
    for (data, expected) in [
        (r#"{"assets":[]}"#, true),
        (r#"{"assets":null}"#, true),
        (r#"{"accountEquity":"0"}"#, true),
        (r#"{"balances":[]}"#, false),
        ("{}", false),
        ("null", false),
    ] {
        assert_eq!(is_read(&assets, success(data)).await, expected, "{data}");
    }
}

/// The rest of a refusal may be what contradicts it, so a code counts only in an answer that is read to its end.
#[tokio::test(flavor = "current_thread")]
async fn a_refusal_counts_only_if_it_is_whole() {
    let server = ScriptedServer::start().unwrap();
    let client = client(&server);
    let whole = r#"{"code":"43012","msg":"Insufficient balance","requestTime":1790000000123,"data":null}"#;
    for status in [200, 400, 429] {
        server.answer_next(Answer::json(whole).status(status));
        let refused = client.call(&place(Some("a"))).await.unwrap_err();
        assert_eq!(refused.outcome(), Outcome::NotDone, "{status}");
        for end in 1..whole.len() {
            server.answer_next(Answer::json(&whole[..end]).status(status));
            let error = client.call(&place(Some("a"))).await.unwrap_err();
            assert_eq!(error.outcome(), Outcome::Unknown, "{status} {}", &whole[..end]);
        }
        for after in ["x", "{}", whole] {
            server.answer_next(Answer::json(format!("{whole}{after}")).status(status));
            let error = client.call(&place(Some("a"))).await.unwrap_err();
            assert_eq!(error.outcome(), Outcome::Unknown, "{status} {after}");
        }
    }
}
