//! Queries of two places, of which the second one has records that the first no longer shows.

use tradeapi_runtime::checks::Checks;
use tradeapi_runtime::client::Callable;
use tradeapi_runtime::confirm::{
    self, ConfirmPolicy, Confirmable, Confirmation, QueryFuture, Queryable, RecordId, query_at,
};
use tradeapi_runtime::operation::Repeatable;
use tradeapi_runtime::parameters::{ParameterReader, ParameterWriter, Parameters};
use tradeapi_runtime::tables::{Confirm, Effect, Meta, Method, Outcome};
use tradeapi_runtime::{ClientCore, Operation, Reply, Timestamp, name};

use crate::Tested;
use crate::api::ClientOid;
use crate::confirmations::{Act, CONFIRM, Found, Line, OneOrder, code, lost, order, seconds};
use crate::orders::{PlaceOrder, Placed, with_parameters_of_order};

const START: u64 = 1_000_000_000_000;

/// Places an order that is queried among recent orders first, and then among all.
struct PlaceRecent(PlaceOrder);

with_parameters_of_order!(PlaceRecent);

impl Operation for PlaceRecent {
    type Response = Placed;

    const META: &'static Meta = &Meta {
        id: "mini.place-recent",
        confirm: Some(Confirm { since: Some(("since", |time| time.as_millis().to_string())), ..CONFIRM }),
        ..*<PlaceOrder as Operation>::META
    };
}

impl Callable for PlaceRecent {
    type Reply = Reply<Placed>;
}

impl Queryable for PlaceRecent {
    type Query = RecentOrder;
    type Record = Found;

    fn query_then<'a>(client: &'a ClientCore, json: &'a str, _: RecordId<'a>) -> Option<QueryFuture<'a>> {
        Some(query_at::<OneOrder, Found>(client, json))
    }
}

impl Confirmable for PlaceRecent {}

/// Reads an order that was created at a time or later.
struct RecentOrder {
    client_oid: ClientOid,
    since: Option<u64>,
}

impl Parameters for RecentOrder {
    fn write(&self, out: &mut ParameterWriter) {
        out.text(name!("clientOid"), &self.client_oid);
        out.optional_number(name!("since"), self.since.as_ref());
    }

    fn read(from: &mut ParameterReader<'_>) -> Option<Self> {
        let (client_oid, since) = (from.required("clientOid"), from.optional("since"));
        Some(Self { client_oid: client_oid?, since })
    }

    fn check(&self, to: &mut Checks<'_>) {
        to.identifier("clientOid", Some(&self.client_oid));
    }
}

impl Operation for RecentOrder {
    type Response = Found;

    const META: &'static Meta = &Meta {
        id: "mini.recent-order",
        effect: Effect::Read,
        method: Method::Get,
        path: "/v1/recent-order",
        confirm: None,
        client_id: None,
        ..*<PlaceOrder as Operation>::META
    };
}

impl Callable for RecentOrder {
    type Reply = Reply<Found>;
}

impl Repeatable for RecentOrder {}

/// Returns an absence that proves nothing, because it has no time.
fn undated() -> Act {
    Act::Answers(r#"{"code":"40404","data":null}"#.to_owned())
}

#[tokio::test]
async fn an_order_is_absent_only_if_both_places_prove_it() -> Tested {
    let signed = Timestamp::from_millis(START - 200_000);
    let dated = || code("40404");
    for (first, second, outcome) in [
        (dated(), dated(), Outcome::NotDone),
        (undated(), dated(), Outcome::Unknown),
        (dated(), undated(), Outcome::Unknown),
    ] {
        let line = Line::new([first, second].into_iter().cycle().take(100));
        let policy = ConfirmPolicy::new().deadline(seconds(10));
        let confirmation = confirm::settle(line.client()?.core(), &PlaceRecent(order("a1")?), signed, &policy).await;
        assert_eq!(confirmation.outcome(), outcome, "{confirmation}");
        if let Confirmation::Unknown(still) = confirmation {
            assert_eq!(still.because.why(), "the response does not contain the exchange's time");
        }
        let targets: Vec<_> = line.seen().into_iter().map(|(_, target)| target).collect();
        assert!(targets[0].contains("/v1/recent-order?") && targets[1].contains("/v1/order?"), "{targets:?}");
    }
    Ok(())
}

/// As early as the exchange may date what it accepts by a signature, which is half a minute, by clocks that may be wrong
/// together by a minute, and ten seconds.
#[tokio::test]
async fn a_query_leaves_out_records_older_than_the_request() -> Tested {
    let line = Line::new([lost(), code("40404")]);
    let policy = ConfirmPolicy::new().deadline(seconds(1));
    let confirmation = confirm::place_and_confirm(line.client()?.core(), &PlaceRecent(order("a1")?), &policy).await;
    assert_eq!(confirmation.outcome(), Outcome::Unknown);
    let (_, target) = &line.seen()[1];
    assert!(target.ends_with(&format!("since={}", START - 100_000)), "{target}");
    Ok(())
}
