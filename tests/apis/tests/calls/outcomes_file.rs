//! The outcomes as data, of each API here, lead to the outcomes of its client, whichever way calls end and queries are
//! answered.

use std::path::{Path, PathBuf};
use std::time::Duration;

use tradeapi_gen::Generator;
use tradeapi_runtime::Operation;
use tradeapi_runtime::confirm::ConfirmPolicy;
use tradeapi_tests::endings::{self, Caller, same};
use tradeapi_tests::json_schema::JsonSchema;
use tradeapi_tests::outcomes::{File, Outcome};

/// Returns the secret for an algorithm: a private key, or Base64.
fn secret(api: &str) -> &'static str {
    if api == "coinbase" { include_str!("key.pem") } else { "c2VjcmV0" }
}

fn folder(api: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("schema").join(api)
}

/// Returns the outcomes of an API as data, which have the form that their JSON Schema describes.
fn file(api: &str) -> File {
    let outcomes = Generator::new().schema_dir(folder(api)).read().unwrap().outcomes();
    let file = File::new(&outcomes.text);
    let schema = JsonSchema::draft2020(&serde_json::from_str(outcomes.schema).unwrap());
    assert_eq!(schema.mistakes(file.json()), [""; 0], "{api}");
    file
}

type Calls = Vec<Caller<Result<(), tradeapi_runtime::Error>>>;

macro_rules! changes {
    ($($api:ident: $($family:ident :: $operation:ident),+;)+) => {
        /// Returns the operations of each API that change something.
        fn changes() -> Vec<(&'static str, Calls)> {
            vec![$((stringify!($api), vec![$(Caller {
                operation: apis::$api::$family::$operation::META.id,
                call: |wire, request| Box::pin(async move {
                    let request = apis::$api::$family::$operation::from_json(&request).unwrap();
                    let builder = apis::$api::Client::builder("https://exchange.example");
                    let client: apis::$api::Client = wire.client(builder, secret(stringify!($api)));
                    client.call(&request).await.map(drop)
                }),
            }),+])),+]
        }
    };
}

changes! {
    assorted: desk::CloseAccount, desk::DoSeveral, desk::MergeAccount, desk::MoveAccount, desk::OpenAccount,
        desk::PayAccount, desk::SettleAccount, desk::SplitAccount, desk::StopOrder, market::SetUnits, market::Watch,
        vault::ChangeDrawer, vault::FileItems, vault::MoveItem, vault::OpenDrawer, vault::Relabel, vault::SortItems,
        vault::StartRobot, vault::StoreItems, vault::SwapItem;
    binance: spot::CancelOpenOrders, spot::CancelOrder, spot::NewOrder;
    bitfinex: orders::CancelOrder, orders::SubmitOrder;
    bitmex: trade::AmendTheQuantityOrPriceOfAnOpenOrder, trade::CancelOrders, trade::CreateANewOrder;
    bybit: order::AmendOrder, order::BatchPlaceOrder, order::CancelOrder, order::PlaceOrder;
    coinbase: orders::CancelOrders, orders::ClosePosition, orders::CreateOrder;
    cryptocom: trading::CancelOrder, trading::CreateOrder, trading::CreateOrderList;
    deribit: trading::Buy, trading::Cancel;
    gateio: spot::CancelASingleOrder, spot::CreateABatchOfOrders, spot::CreateAnOrder;
    gemini: orders::CancelOrder, orders::NewOrder;
    htx: spot::PlaceABatchOfOrders, spot::PlaceANewOrder, spot::SubmitCancelForAnOrder;
    kraken: spot::AddOrder, spot::CancelAllOrders, spot::CancelOrder;
    kucoin: spot::AddOrder, spot::BatchAddOrders, spot::CancelOrderByClientOid;
    okx: trade::CancelOrder, trade::PlaceMultipleOrders, trade::PlaceOrder;
    phemex: contract::CancelSingleOrder, contract::PlaceOrder;
    upbit: exchange::CancelOrder, exchange::CreateOrder;
}

macro_rules! placements {
    ($($api:ident: $family:ident :: $operation:ident;)+) => {
        /// Returns the operation of each API that a query settles.
        fn placements() -> Vec<(&'static str, Caller<Outcome>)> {
            vec![$((stringify!($api), Caller {
                operation: apis::$api::$family::$operation::META.id,
                call: |wire, request| Box::pin(async move {
                    let request = apis::$api::$family::$operation::from_json(&request).unwrap();
                    let builder = apis::$api::Client::builder("https://exchange.example");
                    let client: apis::$api::Client = wire.client(builder, secret(stringify!($api)));
                    let minute = Duration::from_secs(60);
                    let policy = ConfirmPolicy::new().pauses(minute, minute).deadline(15 * minute);
                    same(client.place_and_confirm(&request, &policy).await.outcome())
                }),
            })),+]
        }
    };
}

placements! {
    assorted: vault::StartRobot;
    binance: spot::NewOrder;
    bitfinex: orders::SubmitOrder;
    bitmex: trade::CreateANewOrder;
    bybit: order::PlaceOrder;
    coinbase: orders::CreateOrder;
    cryptocom: trading::CreateOrder;
    deribit: trading::Buy;
    gateio: spot::CreateAnOrder;
    gemini: orders::NewOrder;
    htx: spot::PlaceANewOrder;
    kraken: spot::AddOrder;
    kucoin: spot::AddOrder;
    okx: trade::PlaceOrder;
    phemex: contract::PlaceOrder;
    upbit: exchange::CreateOrder;
}

/// Ten thousand calls.
#[tokio::test]
async fn clients_decide_as_their_files_whichever_way_a_call_ends() {
    let mut disagreements = Vec::new();
    for (api, callers) in changes() {
        let file = file(api);
        let mut named: Vec<_> = callers.iter().map(|caller| caller.operation).collect();
        named.sort_unstable();
        assert_eq!(named, file.changes(), "{api}");
        for caller in callers {
            disagreements.extend(endings::compare(&file, &folder(api), caller, 170).await);
        }
    }
    assert!(disagreements.is_empty(), "{} disagreements:\n{}", disagreements.len(), disagreements.join("\n\n"));
}

#[tokio::test]
async fn clients_decide_as_their_files_whatever_queries_are_answered() {
    let mut disagreements = Vec::new();
    for (api, caller) in placements() {
        disagreements.extend(endings::compare_queries(&file(api), &folder(api), caller, 100).await);
    }
    assert!(disagreements.is_empty(), "{} disagreements:\n{}", disagreements.len(), disagreements.join("\n\n"));
}
