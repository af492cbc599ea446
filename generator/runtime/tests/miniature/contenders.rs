//! Requests that may have made the last change that a record shows, by clocks that are wrong together: another amendment,
//! or the order itself. One whose values differ from those of the record has not.

use tradeapi_runtime::checks::Checks;
use tradeapi_runtime::client::Callable;
use tradeapi_runtime::confirm::{self, ConfirmPolicy, Confirmable, Queryable};
use tradeapi_runtime::parameters::{ParameterReader, ParameterWriter, Parameters};
use tradeapi_runtime::tables::{Amends, Confirm, Effect, Meta, Outcome};
use tradeapi_runtime::{Decimal, Error, Operation, Reply, name, serde_parameters};

use crate::Tested;
use crate::api::ClientOid;
use crate::confirmations::{Act, CONFIRM, Found, Line, OneOrder, START, answers, lost, order, seconds};
use crate::orders::PlaceOrder;

/// Changes the size or the price of an order. The size is a bare number in JSON.
#[derive(Clone, Debug, PartialEq)]
struct Retouch {
    order: OneOrder,
    size: Option<u64>,
    price: Option<Decimal>,
}

impl Parameters for Retouch {
    fn write(&self, out: &mut ParameterWriter) {
        self.order.write(out);
        out.optional_number(name!("newSize"), self.size.as_ref());
        out.optional_text(name!("newPrice"), self.price.as_ref());
    }

    fn read(from: &mut ParameterReader<'_>) -> Option<Self> {
        let order = OneOrder::read(from)?;
        Some(Self { order, size: from.optional("newSize"), price: from.optional("newPrice") })
    }

    fn check(&self, to: &mut Checks<'_>) {
        self.order.check(to);
    }
}

serde_parameters!(Retouch);

impl Operation for Retouch {
    type Response = ();

    const META: &'static Meta = &Meta {
        id: "mini.retouch",
        effect: Effect::Amend,
        amends: Some(Amends { list: None, ids: &["clientOid"], in_flight: Some(1) }),
        confirm: Some(Confirm {
            matches: &[("size", "newSize"), ("price", "newPrice")],
            created: None,
            changed: Some("updated"),
            kept_ms: None,
            agrees: &[],
            ..CONFIRM
        }),
        ..*<PlaceOrder as Operation>::META
    };
}

impl Callable for Retouch {
    type Reply = Reply<()>;
}

impl Queryable for Retouch {
    type Query = OneOrder;
    type Record = Found;
}

impl Confirmable for Retouch {}

fn retouch(size: Option<u64>, price: Option<u32>) -> Result<Retouch, Box<dyn std::error::Error>> {
    let order = OneOrder { client_oid: ClientOid::new("a1")? };
    Ok(Retouch { order, size, price: price.map(Decimal::from) })
}

/// Returns a record by a clock that is half a minute ahead of all others: any of the requests may have made its last
/// change.
fn record(size: u64, price: u32) -> Act {
    let updated = START + 30_000;
    answers(&format!(r#"{{"clientOid":"a1","size":"{size}","price":"{price}","updated":"{updated}"}}"#))
}

/// Requests that are done, each followed by a second, and then one whose answer is lost.
async fn outcome_of(line: &Line, earlier: &[Retouch], last: &Retouch) -> Result<Outcome, Box<dyn std::error::Error>> {
    let client = line.client()?;
    client.call(&order("a1")?).await?;
    for request in earlier {
        line.time.timer().advance(seconds(1));
        client.call(request).await?;
    }
    line.time.timer().advance(seconds(1));
    let policy = ConfirmPolicy::new().deadline(seconds(5));
    Ok(confirm::place_and_confirm(client.core(), last, &policy).await.outcome())
}

#[tokio::test]
async fn what_a_client_gave_before_proves_no_later_amendment() -> Tested {
    let (size, price) = (|size| retouch(Some(size), None), |price| retouch(None, Some(price)));
    let (both, unknown, done) = (retouch(Some(2), Some(50))?, Outcome::Unknown, Outcome::Done);
    for (about, earlier, last, outcome) in [
        ("one request gave all", vec![both.clone()], both.clone(), unknown),
        ("two requests gave one each", vec![size(2)?, price(50)?], both.clone(), unknown),
        ("one gave one, and the order may have had the other", vec![price(50)?], both.clone(), unknown),
        ("the order has the price by default", vec![], retouch(Some(1), Some(50))?, unknown),
        ("each gave something else", vec![retouch(Some(2), Some(49))?], both.clone(), done),
        ("the order has another size", vec![], size(2)?, done),
        ("the order had another size, and the last one gives another price", vec![price(49)?], both.clone(), done),
    ] {
        let acts = std::iter::repeat_n(answers("null"), earlier.len());
        let placed = answers(r#"{"orderId":"7","clientOid":"a1"}"#);
        let line = Line::new([placed].into_iter().chain(acts).chain([lost(), record(last.size.unwrap_or(2), 50)]));
        assert_eq!(outcome_of(&line, &earlier, &last).await?, outcome, "{about}");
    }
    Ok(())
}

#[tokio::test]
async fn a_request_whose_outcome_is_open_contends_for_as_long_as_it_is_remembered() -> Tested {
    for (apart, other, outcome) in [(1, 2, Outcome::Unknown), (1, 3, Outcome::Done), (3600, 2, Outcome::Unknown)] {
        let updated = START + 1000 * (apart + 30);
        let shown = answers(&format!(r#"{{"clientOid":"a1","size":"2","updated":"{updated}"}}"#));
        let line = Line::new([lost(), answers("[]"), lost(), shown]);
        let client = line.client()?;
        assert!(matches!(client.call(&retouch(Some(other), None)?).await, Err(Error::Unknown(_))));
        client.call(&crate::orders::Orders::default()).await?;
        line.time.timer().advance(seconds(apart));
        let policy = ConfirmPolicy::new().deadline(seconds(5));
        let confirmation = confirm::place_and_confirm(client.core(), &retouch(Some(2), None)?, &policy).await;
        assert_eq!(confirmation.outcome(), outcome, "{apart} s apart, to {other}: {confirmation}");
    }
    Ok(())
}

/// No clocks are assumed to be wrong by as much.
#[tokio::test]
async fn a_request_that_ended_five_minutes_before_is_no_contender() -> Tested {
    for (apart, outcome) in [(300, Outcome::Unknown), (301, Outcome::Done)] {
        let updated = START + 1000 * (apart + 30);
        let shown = answers(&format!(r#"{{"clientOid":"a1","size":"2","updated":"{updated}"}}"#));
        let line = Line::new([answers("null"), lost(), shown]);
        let (client, resize) = (line.client()?, retouch(Some(2), None)?);
        client.call(&resize).await?;
        line.time.timer().advance(seconds(apart));
        let policy = ConfirmPolicy::new().deadline(seconds(5));
        let confirmation = confirm::place_and_confirm(client.core(), &resize, &policy).await;
        assert_eq!(confirmation.outcome(), outcome, "{apart}: {confirmation}");
    }
    Ok(())
}
