//! Records from outside resolve or contradict changes of a journal, in both families.

use std::time::Duration;

use tradeapi::runtime::confirm::{self, ConfirmPolicy, EvidenceVerdict};
use tradeapi::runtime::journal::{Change, Ending, Journal, Selection};
use tradeapi::runtime::tables::Outcome;
use tradeapi::unified::{
    BatchOrder, Category, ClientOid, Execution, GetOrderDetails, ModifyOrder, Order, PlaceOrder, Side,
};
use tradeapi::{Client, Decimal, classic};
use tradeapi_exchange::{Exchange, Fault, FaultKind, FaultTarget, Profile, Seed};

use crate::{AnotherProcess, all, by_id, item, journal, order, read, waiting};

/// Returns the record of an order in another process.
async fn seen(exchange: &Exchange, id: &str) -> Order {
    let other: Client = exchange.client_of(exchange.keys()).build().unwrap();
    other.unified().get_order_details(&GetOrderDetails::new(by_id(id))).await.unwrap().into_data()
}

fn classic_order(id: &str) -> classic::PlaceOrder {
    let (size, price): (Decimal, Decimal) = ("0.001".parse().unwrap(), "50000".parse().unwrap());
    let (product, execution) =
        (classic::ProductType::UsdtFutures, classic::Execution::limit(price, classic::Force::Gtc));
    let (margin, side) = (classic::MarginMode::Crossed, classic::Side::Buy);
    classic::PlaceOrder::new("BTCUSDT", product, margin, "USDT", size, side, execution).client_oid(id)
}

/// Returns a client of the same account, in another process.
fn another_process(exchange: &Exchange) -> Client {
    let environment = AnotherProcess(exchange.time().clone());
    exchange.client_of(exchange.keys()).environment(environment).build().unwrap()
}

#[tokio::test]
async fn a_record_closes_an_open_change() {
    let (folder, exchange) = (tempfile::tempdir().unwrap(), Exchange::for_user(Seed(1), Profile::new().both()));
    let journal = journal(folder.path());
    let client: Client = exchange.client_of(exchange.keys()).journal(journal.clone()).build().unwrap();
    exchange.hide_next("40725");
    client.unified().place_order(&order("u1")).await.unwrap_err();
    exchange.hide_next("40725");
    client.classic().place_order(&classic_order("c1")).await.unwrap_err();
    // A later run has only the journal.
    drop(client);
    let client: Client = exchange.client_of(exchange.keys()).journal(journal.clone()).build().unwrap();

    let evidence = client.evidence(&seen(&exchange, "u1").await).await.unwrap();
    assert_eq!(evidence.requests.iter().map(|request| request.verdict).collect::<Vec<_>>(), [EvidenceVerdict::Proves]);
    assert_eq!(evidence.requests[0].change, Some(all(&*journal)[0].number));
    let other: Client = exchange.client_of(exchange.keys()).build().unwrap();
    let by = classic::OrderRef::ClientOid("c1".into());
    let ask = classic::GetOrderDetail::new("BTCUSDT", classic::ProductType::UsdtFutures, by);
    let record = other.classic().get_order_detail(&ask).await.unwrap().into_data();
    let evidence = client.evidence(&record).await.unwrap();
    assert_eq!(evidence.requests.iter().map(|request| request.verdict).collect::<Vec<_>>(), [EvidenceVerdict::Proves]);

    assert!(all(&*journal).iter().all(|change| change.ending.as_ref().unwrap().outcome == Outcome::Done));
    assert!(client.recover(&ConfirmPolicy::new()).await.unwrap().is_empty());
    let again = client.evidence(&record).await.unwrap();
    assert!(again.requests.is_empty(), "nothing waits any more");
}

#[tokio::test]
async fn a_record_that_contradicts_the_journal_is_reported_and_changes_nothing() {
    let (folder, exchange) = (tempfile::tempdir().unwrap(), Exchange::new(Seed(2)));
    let journal = journal(folder.path());
    let build = || -> Client { exchange.client_of(exchange.keys()).journal(journal.clone()).build().unwrap() };
    let client = build();
    exchange.refuse_next("40762");
    client.unified().place_order(&order("u1")).await.unwrap_err();
    let other = another_process(&exchange);
    other.unified().place_order(&order("u1")).await.unwrap();
    let record = seen(&exchange, "u1").await;
    // The refused client, one with the journal of an earlier run, and one that started with it.
    let early = build();
    let _ = early.evidence(&Order::default()).await.unwrap();
    for client in [client, build(), early] {
        let evidence = client.evidence(&record).await.unwrap();
        assert!(matches!(evidence.requests[0].verdict, EvidenceVerdict::Contradicts(_)), "{evidence:?}");
        assert_eq!(evidence.contradictions().count(), 1);
    }
    assert_eq!(all(&*journal)[0].ending.as_ref().unwrap().outcome, Outcome::NotDone);

    // The order is not the one that was queried.
    exchange.refuse_next("40725");
    let client = build();
    client.unified().place_order(&order("u2")).await.unwrap_err();
    let dearer = Execution::limit("50001".parse::<Decimal>().unwrap());
    let another = PlaceOrder::new(Category::UsdtFutures, "BTCUSDT", waiting().0, Side::Buy, dearer)
        .client_oid(ClientOid::new("u2").unwrap());
    other.unified().place_order(&another).await.unwrap();
    let evidence = client.evidence(&seen(&exchange, "u2").await).await.unwrap();
    assert!(matches!(evidence.requests[0].verdict, EvidenceVerdict::Another(_)), "{evidence:?}");
    assert_eq!(all(&*journal)[1].ending, None);
}

/// A refusal after the first record is compared as well.
#[tokio::test]
async fn a_refusal_is_compared_with_later_records() {
    let (folder, exchange) = (tempfile::tempdir().unwrap(), Exchange::new(Seed(3)));
    let client: Client = exchange.client_of(exchange.keys()).journal(journal(folder.path())).build().unwrap();
    let _ = client.evidence(&Order::default()).await.unwrap();
    exchange.refuse_next("40762");
    client.unified().place_order(&order("u1")).await.unwrap_err();
    let other = another_process(&exchange);
    other.unified().place_order(&order("u1")).await.unwrap();
    let evidence = client.evidence(&seen(&exchange, "u1").await).await.unwrap();
    assert!(matches!(evidence.requests[0].verdict, EvidenceVerdict::Contradicts(_)), "{evidence:?}");
}

/// A refusal of long ago is read although many changes were stored after it.
#[tokio::test]
async fn a_refusal_of_long_ago_is_compared_with_later_records() {
    let (folder, exchange) = (tempfile::tempdir().unwrap(), Exchange::new(Seed(3)));
    let journal = journal(folder.path());
    let build = || -> Client { exchange.client_of(exchange.keys()).journal(journal.clone()).build().unwrap() };
    exchange.refuse_next("40762");
    build().unified().place_order(&order("u1")).await.unwrap_err();
    for number in 0..3_000 {
        let mut change = Change::new("unified.place-order", "{}", exchange.time().now());
        change.client_ids.push(format!("past-{number}"));
        let number = journal.begin(change).await.unwrap();
        journal.end(number, Ending::new(Outcome::Done)).await.unwrap();
    }
    another_process(&exchange).unified().place_order(&order("u1")).await.unwrap();
    let evidence = build().evidence(&seen(&exchange, "u1").await).await.unwrap();
    let verdicts: Vec<_> = evidence.requests.iter().map(|request| request.verdict).collect();
    assert!(matches!(verdicts[..], [EvidenceVerdict::Contradicts(_)]), "{evidence:?}");
}

/// The second use of an id is refused, and the record is of the first, which is done. A run that sent neither has to read
/// both in the journal, where they are older than what it reads at its begin.
#[tokio::test]
async fn the_record_of_one_use_of_an_id_contradicts_no_refusal_of_another() {
    let (folder, exchange) = (tempfile::tempdir().unwrap(), Exchange::new(Seed(6)));
    let journal = journal(folder.path());
    let build = || -> Client {
        let environment = AnotherProcess(exchange.time().clone());
        exchange.client_of(exchange.keys()).environment(environment).journal(journal.clone()).build().unwrap()
    };
    let client = build();
    client.unified().place_order(&order("u1")).await.unwrap();
    exchange.refuse_next("40762");
    client.unified().place_order(&order("u1")).await.unwrap_err();
    exchange.refuse_next("40762");
    client.unified().place_order(&order("u2")).await.unwrap_err();
    another_process(&exchange).unified().place_order(&order("u2")).await.unwrap();
    let records = [seen(&exchange, "u1").await, seen(&exchange, "u2").await];
    let verdicts = async |client: &Client| {
        let mut verdicts = Vec::new();
        for record in &records {
            let evidence = client.evidence(record).await.unwrap();
            verdicts.extend(evidence.requests.iter().map(|request| request.verdict));
        }
        verdicts
    };
    let is_expected =
        |found: &[EvidenceVerdict]| matches!(found, [EvidenceVerdict::Another(_), EvidenceVerdict::Contradicts(_)]);
    let of_first_run = verdicts(&client).await;
    assert!(is_expected(&of_first_run), "{of_first_run:?}");
    for minutes in [1, 60, 240] {
        exchange.time().advance(Duration::from_secs(60 * minutes));
        let of_later_run = verdicts(&build()).await;
        assert!(is_expected(&of_later_run), "{of_later_run:?}");
        let of_first_run = verdicts(&client).await;
        assert!(is_expected(&of_first_run), "{of_first_run:?}");
    }
}

/// An id is used twice, and the second use is refused. A later run asks for its outcome: what the order shows is the first.
#[tokio::test]
async fn a_refusal_of_an_earlier_run_is_not_settled_by_another_order_of_its_id() {
    let (folder, exchange) = (tempfile::tempdir().unwrap(), Exchange::new(Seed(8)));
    let journal = journal(folder.path());
    let build = || -> Client {
        let environment = AnotherProcess(exchange.time().clone());
        exchange.client_of(exchange.keys()).environment(environment).journal(journal.clone()).build().unwrap()
    };
    build().unified().place_order(&order("u1")).await.unwrap();
    exchange.refuse_next("40762");
    build().unified().place_order(&order("u1")).await.unwrap_err();
    let signed_at = all(&*journal)[1].change.signed_at;
    exchange.time().advance(Duration::from_secs(20 * 60));
    let (client, order, policy) = (build(), order("u1"), ConfirmPolicy::new());
    let confirmation = exchange.time().run(confirm::settle(client.core(), &order, signed_at, &policy)).await;
    assert_eq!(confirmation.outcome(), Outcome::Unknown, "{confirmation}");
}

/// The uses of an id are all refused, so that the order with it contradicts each.
#[tokio::test]
async fn the_record_of_an_order_contradicts_each_refusal_of_its_id() {
    let (folder, exchange) = (tempfile::tempdir().unwrap(), Exchange::new(Seed(9)));
    let journal = journal(folder.path());
    let build = || -> Client {
        let environment = AnotherProcess(exchange.time().clone());
        exchange.client_of(exchange.keys()).environment(environment).journal(journal.clone()).build().unwrap()
    };
    let client = build();
    for _ in 0..2 {
        exchange.refuse_next("40762");
        client.unified().place_order(&order("u1")).await.unwrap_err();
        exchange.time().advance(Duration::from_secs(1));
    }
    another_process(&exchange).unified().place_order(&order("u1")).await.unwrap();
    let record = seen(&exchange, "u1").await;
    for client in [client, build()] {
        let evidence = client.evidence(&record).await.unwrap();
        let verdicts: Vec<_> = evidence.requests.iter().map(|request| request.verdict).collect();
        assert!(
            matches!(verdicts[..], [EvidenceVerdict::Contradicts(_), EvidenceVerdict::Contradicts(_)]),
            "{evidence:?}"
        );
    }
}

/// Two orders of one id are sent, the answers are lost, and one of them is booked. A day later, the requests are
/// forgotten, and the journal still has them.
#[tokio::test]
async fn a_record_of_one_of_two_forgotten_requests_proves_neither() {
    let (folder, exchange) = (tempfile::tempdir().unwrap(), Exchange::new(Seed(7)));
    let journal = journal(folder.path());
    let client: Client = exchange.client_of(exchange.keys()).journal(journal.clone()).build().unwrap();
    exchange.refuse_next("40725");
    client.unified().place_order(&order("u1")).await.unwrap_err();
    exchange.hide_next("40725");
    client.unified().place_order(&order("u1")).await.unwrap_err();
    let record = seen(&exchange, "u1").await;
    let nothing = async |record: &Order| {
        let evidence = client.evidence(record).await.unwrap();
        assert_eq!((evidence.requests.len(), evidence.proven().count()), (2, 0), "{evidence:?}");
    };
    nothing(&record).await;
    exchange.time().advance(Duration::from_secs(24 * 3_600));
    // Something is sent, so that what is old is dropped.
    client.unified().place_order(&order("u2")).await.unwrap();
    nothing(&record).await;
    assert_eq!(read(&*journal, Selection::Open).len(), 2);
    // Without a journal, nobody can know.
    let own: Client = exchange.client_of(exchange.keys()).build().unwrap();
    let signed_at = all(&*journal)[0].change.signed_at;
    let policy = ConfirmPolicy::new().deadline(Duration::ZERO);
    let confirmation = confirm::settle(own.core(), &order("u1"), signed_at, &policy).await;
    assert_eq!(confirmation.outcome(), Outcome::Unknown, "{confirmation}");
}

/// An exchange that denies what exists misleads a recovery; a record that comes later tells of it.
#[tokio::test]
async fn what_a_recovery_concluded_is_compared_with_later_records() {
    let (folder, exchange) = (tempfile::tempdir().unwrap(), Exchange::new(Seed(5)));
    let journal = journal(folder.path());
    let client: Client = exchange.client_of(exchange.keys()).journal(journal.clone()).build().unwrap();
    let _ = client.evidence(&Order::default()).await.unwrap();
    exchange.hide_next("40725");
    client.unified().place_order(&order("u1")).await.unwrap_err();
    let record = seen(&exchange, "u1").await;
    exchange.time().advance(std::time::Duration::from_secs(250));
    exchange.add_fault(
        Fault::new(FaultKind::Refuse("25204".into())).target(FaultTarget::Operation("unified.order-info".into())),
    );
    let recovered = exchange.time().run(client.recover(&ConfirmPolicy::new())).await.unwrap();
    assert_eq!(recovered[0].outcome(), Outcome::NotDone, "{recovered}");
    let evidence = client.evidence(&record).await.unwrap();
    let number = Some(all(&*journal)[0].number);
    assert!(evidence.contradictions().any(|request| request.change == number), "{evidence:?}");
}

#[tokio::test]
async fn an_amendment_and_an_item_of_a_batch_are_proven() {
    let (folder, exchange) = (tempfile::tempdir().unwrap(), Exchange::new(Seed(4)));
    let journal = journal(folder.path());
    let client: Client = exchange.client_of(exchange.keys()).journal(journal.clone()).build().unwrap();
    exchange.hide_next("40725");
    client.call(&BatchOrder::new(vec![item("b1"), item("b2")])).await.unwrap_err();
    let evidence = client.evidence(&seen(&exchange, "b1").await).await.unwrap();
    assert_eq!((evidence.requests[0].id.as_str(), evidence.requests[0].verdict), ("b1", EvidenceVerdict::ProvesItem));
    assert_eq!(all(&*journal)[0].ending, None, "the other item is not known");
    assert_eq!(all(&*journal)[0].outcome_of(0), Some(Outcome::Done));

    client.unified().place_order(&order("u1")).await.unwrap();
    exchange.time().advance(std::time::Duration::from_secs(5));
    exchange.hide_next("40725");
    let qty: Decimal = "0.002".parse().unwrap();
    client.unified().modify_order(&ModifyOrder::new(by_id("u1")).qty(qty)).await.unwrap_err();
    let evidence = client.evidence(&seen(&exchange, "u1").await).await.unwrap();
    let verdicts: Vec<_> = evidence.requests.iter().map(|request| (request.operation, request.verdict)).collect();
    assert_eq!(verdicts.len(), 1, "{evidence:?}");
    assert_eq!(verdicts[0].0, "unified.modify-order");
}
