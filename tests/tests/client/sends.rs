//! Clients work in tasks that move between threads: their futures are `Send`, and their types `Send` and `Sync`.

use tradeapi::runtime::batches::BatchReport;
use tradeapi::runtime::client::Prepared;
use tradeapi::runtime::confirm::ConfirmPolicy;
use tradeapi::runtime::ledger::Ledger;
use tradeapi::runtime::reconcile::{ReconcileError, Reconciled, Reconciliation};
use tradeapi::runtime::retry::RetryPolicy;
use tradeapi::{Client, Error, Reply, Timestamp, classic, unified};

fn is_send<T: Send>(_: T) {}

fn are_shared<T: Send + Sync>() {}

// These functions name each function of a client that waits. They are compiled, and never called.

#[expect(dead_code, reason = "that it compiles is the test")]
fn futures_of_calls_are_send(
    client: &Client,
    order: &unified::PlaceOrder,
    all: &classic::BatchCancel,
    orders: unified::BatchOrder,
    prepared: Prepared<'_, unified::PlaceOrder>,
) {
    let (policy, retry, now) = (&ConfirmPolicy::new(), &RetryPolicy::new(), Timestamp::now());
    is_send(client.call(order));
    is_send(client.unified().place_order(order));
    is_send(client.send(prepared));
    is_send(client.retrying(retry).cancel(all));
    is_send(client.retrying(retry).call(&unified::GetOpenOrders::new()));
    is_send(client.place_and_confirm(order, policy));
    is_send(client.settle(order, now, policy));
    is_send(client.locate(order));
    is_send(client.batch(orders.clone()).send());
    is_send(client.batch(orders).send_and_confirm(policy));
    let mut pages = client.pages(unified::GetOpenOrders::new());
    is_send(pages.next_page());
    is_send(pages.items().next());
}

#[expect(dead_code, reason = "that it compiles is the test")]
fn futures_of_an_account_are_send(
    client: &Client,
    reconciliation: &mut Reconciliation,
    reconciled: &Reconciled,
    ledger: &mut Ledger,
    record: &unified::Order,
) {
    let (policy, now) = (&ConfirmPolicy::new(), Timestamp::now());
    is_send(client.claim_journal());
    is_send(client.recover(policy));
    is_send(client.evidence(record));
    is_send(client.reconcile(reconciliation));
    is_send(client.cancel_foreign(reconciled, &[]));
    is_send(client.update_ledger(ledger, "unified", now));
    is_send(client.flatten(policy));
}

#[test]
fn types_are_shared_between_threads() {
    are_shared::<Client>();
    are_shared::<Error>();
    are_shared::<Reply<unified::Order>>();
    are_shared::<BatchReport<unified::BatchOrderItem, unified::BatchOrderResult>>();
    are_shared::<Prepared<'_, unified::PlaceOrder>>();
    are_shared::<Reconciliation>();
    are_shared::<ReconcileError>();
    are_shared::<Reconciled>();
    are_shared::<Ledger>();
}
