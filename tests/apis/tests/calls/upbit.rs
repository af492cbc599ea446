//! Upbit.

use apis::upbit::exchange::{
    CancelOrder, CreateOrder, GetOrder, ListOpenOrders, OrdType, OrderRef, OwnId, Side, State, Uuid,
};
use apis::upbit::{Client, Credentials, Error, dec};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::Value;
use sha2::{Digest, Sha512};
use tradeapi_runtime::tables::CodeProof;
use tradeapi_tests::loopback::{Answer, Request, ScriptedServer};

use crate::{hex, hmac_sha512};

fn client(server: &ScriptedServer) -> Client {
    Client::builder(server.url()).credentials(Credentials::new("key", "secret", "")).build().unwrap()
}

/// Checks the token of a request with these parameters, in their documented form.
fn token_is_of(request: &Request, parameters: &str) {
    let token = request.header("Authorization").unwrap().strip_prefix("Bearer ").unwrap();
    let (signed, signature) = token.rsplit_once('.').unwrap();
    assert_eq!(URL_SAFE_NO_PAD.decode(signature).unwrap(), hmac_sha512(b"secret", signed.as_bytes()));
    let read = |part: &str| serde_json::from_slice::<Value>(&URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap();
    let (header, claims) = signed.split_once('.').map(|(header, claims)| (read(header), read(claims))).unwrap();
    assert_eq!((&header["alg"], &claims["access_key"]), (&"HS512".into(), &"key".into()));
    assert_eq!(claims["nonce"].as_str().unwrap().len(), 36);
    if parameters.is_empty() {
        assert_eq!(claims.as_object().unwrap().len(), 2, "{claims}");
    } else {
        let digest = hex(&Sha512::digest(parameters));
        assert_eq!((&claims["query_hash"], &claims["query_hash_alg"]), (&digest.into(), &"SHA512".into()));
    }
}

#[tokio::test]
async fn parameters_are_hashed_however_they_travel() {
    let server = ScriptedServer::start().unwrap();
    let client = client(&server);
    server.answer_next(Answer::json(
        r#"{"uuid": "cdd92199", "identifier": "desk 1", "created_at": "2018-04-10T15:42:23+09:00", "price": null}"#,
    ));
    let order = CreateOrder::new("SGD-BTC", Side::Bid, OrdType::Limit)
        .volume(dec!(0.01))
        .price(dec!(100))
        .identifier(OwnId::from("desk 1"));
    let placed = client.exchange().create_order(&order).await.unwrap();
    assert_eq!(placed.created_at.unwrap().timestamp().as_millis(), 1_523_342_543_000);
    server.answer_next(Answer::json("[]"));
    let open = ListOpenOrders::new().market("SGD-BTC").states(vec![State::Wait, State::Watch]);
    client.exchange().list_open_orders(&open).await.unwrap();
    server.answer_next(Answer::json(r#"{"uuid": "cdd92199"}"#));
    client.exchange().cancel_order(&CancelOrder::new(OrderRef::Uuid(Uuid::from("cdd92199")))).await.unwrap();
    server.answer_next(Answer::json("[]"));
    client.exchange().list_open_orders(&ListOpenOrders::new()).await.unwrap();
    let requests = server.requests();
    token_is_of(&requests[0], "market=SGD-BTC&side=bid&volume=0.01&price=100&ord_type=limit&identifier=desk 1");
    assert_eq!(requests[1].query.as_deref(), Some("market=SGD-BTC&states%5B%5D=wait&states%5B%5D=watch"));
    token_is_of(&requests[1], "market=SGD-BTC&states[]=wait&states[]=watch");
    token_is_of(&requests[2], "uuid=cdd92199");
    token_is_of(&requests[3], "");
}

#[tokio::test]
async fn a_failure_has_a_name() {
    let server = ScriptedServer::start().unwrap();
    let refusal = r#"{"error": {"name": "order_not_found", "message": "not found"}}"#;
    server.answer_next(Answer::new(404, refusal).header("content-type", "application/json"));
    let read = GetOrder::new(OrderRef::Identifier(OwnId::from("none")));
    let error = client(&server).exchange().get_order(&read).await.unwrap_err();
    let Error::Exchange(refused) = &error else { panic!("{error}") };
    assert_eq!((refused.code.as_str(), refused.proves), ("order_not_found", Some(CodeProof::NoSuchOrder)));
}
