//! OKX, version 5.

use exchanges::okx::Client;
use exchanges::okx::trade::GetSystemTime;
use tradeapi_sandbox::{Answer, Sandbox};

#[tokio::test]
async fn public_calls_work_without_credentials() {
    let sandbox = Sandbox::start().unwrap();
    sandbox.answer_next(Answer::json(r#"{"code": "0", "msg": "", "data": [{"ts": "1790000000000"}]}"#));
    let client = Client::builder(sandbox.url()).build().unwrap();
    let reply = client.trade().get_system_time(&GetSystemTime::new()).await.unwrap();
    assert_eq!(reply.data[0].at.unwrap().as_millis(), 1_790_000_000_000);
    assert_eq!(sandbox.requests()[0].path, "/api/v5/public/time");
}
