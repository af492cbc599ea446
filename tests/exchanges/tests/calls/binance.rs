//! Binance, spot.

use exchanges::binance::Client;
use exchanges::binance::spot::CheckServerTime;
use tradeapi_sandbox::{Answer, Sandbox};

#[tokio::test]
async fn public_calls_work_without_credentials() {
    let sandbox = Sandbox::start().unwrap();
    sandbox.answer_next(Answer::json(r#"{"serverTime": 1790000000000}"#));
    let client = Client::builder(sandbox.url()).build().unwrap();
    let reply = client.spot().check_server_time(&CheckServerTime::new()).await.unwrap();
    assert_eq!(reply.server_time.unwrap().as_millis(), 1_790_000_000_000);
    assert_eq!(sandbox.requests()[0].path, "/api/v3/time");
}
