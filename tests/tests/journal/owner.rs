//! A journal belongs to the clients of one account at one address and market: others close nothing and send nothing. The
//! server knows nothing of the client.

use std::sync::Arc;

use serde_json::json;
use tradeapi::runtime::ClientBuilder;
use tradeapi::runtime::client::LimitMode;
use tradeapi::runtime::confirm::ConfirmPolicy;
use tradeapi::runtime::error::JournalError;
use tradeapi::runtime::journal::{FileJournal, Selection};
use tradeapi::runtime::reconcile::{ReconcileError, Reconciliation};
use tradeapi::runtime::tables::Outcome;
use tradeapi::unified::Order;
use tradeapi::{Client, Credentials, Error, Timestamp};
use tradeapi_tests::loopback::{Answer, ScriptedServer};

use crate::{all, journal, order, read};

const NO_SUCH_ORDER: &str = r#"{"code":"25204","msg":"Order does not exist","requestTime":1,"data":null}"#;

/// Returns an exchange whose answer to a placement is lost, and which has no order that anyone asks for.
fn exchange() -> ScriptedServer {
    let server = ScriptedServer::start().unwrap();
    server.answer_next(Answer::close());
    server.answer_otherwise(|_| Answer::json(NO_SUCH_ORDER));
    server
}

fn builder(url: &str, key: &str, journal: &Arc<FileJournal>) -> ClientBuilder<Client> {
    let credentials = Credentials::new(key, "secret", "passphrase");
    Client::builder(url).credentials(credentials).limits(LimitMode::Off).journal(journal.clone())
}

/// Leaves an order open in the journal of a client.
async fn leave_open(client: &Client) {
    let placed = client.unified().place_order(&order("a")).await;
    assert!(matches!(placed, Err(Error::Unknown(_))), "{placed:?}");
}

#[tokio::test]
async fn a_client_of_another_account_address_or_market_is_refused_before_anything_happens() {
    let (folder, server, other) = (tempfile::tempdir().unwrap(), exchange(), exchange());
    let journal = journal(folder.path());
    leave_open(&builder(&server.url(), "key", &journal).build().unwrap()).await;
    let before = read(&*journal, Selection::Open);
    server.take_requests();
    let others = [
        (builder(&server.url(), "another key", &journal), "another key"),
        (builder(&other.url(), "key", &journal), "the address"),
        (builder(&server.url(), "key", &journal).header("paptrading", "1"), "the market"),
        (Client::builder(server.url()).journal(journal.clone()), "another key"),
    ];
    for (builder, why) in others {
        let client = builder.build().unwrap();
        let is_refused = |error: &JournalError| {
            assert!(matches!(error, JournalError::Foreign { .. }) && error.to_string().contains(why), "{error}");
        };
        is_refused(&client.recover(&ConfirmPolicy::new()).await.unwrap_err());
        is_refused(&client.evidence(&Order::default()).await.unwrap_err());
        let mut reconciliation = Reconciliation::since(Timestamp::from_millis(0)).family("unified");
        match client.reconcile(&mut reconciliation).await {
            Err(ReconcileError::Journal(error)) => is_refused(&error),
            other => panic!("{other:?}"),
        }
        match client.unified().place_order(&order("b")).await {
            Err(Error::NotStored(not)) => is_refused(&not.why),
            // Without credentials, nothing is signed.
            Err(Error::Unsigned(_)) => {}
            other => panic!("{other:?}"),
        }
    }
    assert_eq!((server.requests().len(), other.requests().len()), (0, 0), "something was sent");
    assert_eq!(all(&*journal), before);
}

#[tokio::test]
async fn a_journal_knows_its_owner_after_a_restart() {
    let (folder, server) = (tempfile::tempdir().unwrap(), exchange());
    leave_open(&builder(&server.url(), "key", &journal(folder.path())).build().unwrap()).await;
    let journal = journal(folder.path());
    let stranger = builder(&server.url(), "other", &journal).build().unwrap();
    assert!(matches!(stranger.recover(&ConfirmPolicy::new()).await, Err(JournalError::Foreign { .. })));
    let own = builder(&server.url(), "key", &journal).build().unwrap();
    assert_eq!(own.recover(&ConfirmPolicy::new().deadline(std::time::Duration::ZERO)).await.unwrap().len(), 1);
}

#[tokio::test]
async fn each_account_name_has_an_owner_of_its_own() {
    let (folder, server) = (tempfile::tempdir().unwrap(), exchange());
    let journal = journal(folder.path());
    let one = builder(&server.url(), "key-1", &journal).account("one").build().unwrap();
    leave_open(&one).await;
    let two = builder(&server.url(), "key-2", &journal).account("two").build().unwrap();
    let short = ConfirmPolicy::new().deadline(std::time::Duration::ZERO);
    assert!(two.recover(&short).await.unwrap().is_empty());
    // The same key under the other name.
    let renamed = two.with_account("one");
    let refused = renamed.recover(&short).await.unwrap_err();
    assert!(refused.to_string().contains("has changes of \"one\""), "{refused}");
    assert_eq!(one.recover(&short).await.unwrap().len(), 1);
    assert_eq!(read(&*journal, Selection::Open).len(), 1);
}

#[tokio::test]
async fn a_replaced_key_takes_the_journal_over() {
    let (folder, server) = (tempfile::tempdir().unwrap(), exchange());
    let journal = journal(folder.path());
    let old = builder(&server.url(), "old", &journal).build().unwrap();
    leave_open(&old).await;
    let new = builder(&server.url(), "new", &journal).build().unwrap();
    let short = ConfirmPolicy::new().deadline(std::time::Duration::ZERO);
    assert!(new.recover(&short).await.is_err());
    new.claim_journal().await.unwrap();
    let recovered = new.recover(&short).await.unwrap();
    assert_eq!((recovered.len(), recovered[0].outcome()), (1, Outcome::Unknown), "{recovered}");
    let late = builder(&server.url(), "old", &journal).build().unwrap();
    assert!(matches!(late.recover(&short).await, Err(JournalError::Foreign { .. })));
}

/// Neither is the digest the same in two journals.
#[tokio::test]
async fn the_key_is_not_in_the_journal() {
    let server = ScriptedServer::start().unwrap();
    server.answer_otherwise(|_| Answer::json(json!({"code": "40762", "msg": "no", "data": null}).to_string()));
    let mut texts = Vec::new();
    for _ in 0..2 {
        let folder = tempfile::tempdir().unwrap();
        let journal = journal(folder.path());
        let client = builder(&server.url(), "canary-key-0815", &journal).build().unwrap();
        client.unified().place_order(&order("a")).await.unwrap_err();
        texts.push(client.core().journal().unwrap().claim("", "nobody").await.unwrap());
    }
    assert!(texts.iter().all(|text| text.contains("\"key\"") && !text.contains("canary")), "{texts:?}");
    assert_ne!(texts[0], texts[1]);
}
