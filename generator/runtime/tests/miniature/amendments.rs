//! The number of amendments of an order that may be under way, one at a time and several at once.

use tradeapi_runtime::checks::Checks;
use tradeapi_runtime::client::{Assumptions, Callable};
use tradeapi_runtime::emitted::order_reference;
use tradeapi_runtime::orders::{AmendGate, Amendment};
use tradeapi_runtime::parameters::{ParameterReader, ParameterWriter, Parameters};
use tradeapi_runtime::tables::Meta;
use tradeapi_runtime::{Edit, Error, Operation, Reply, name};

use crate::Tested;
use crate::api::ClientOid;
use crate::confirmations::{Act, Line, OneOrder, Resize, answers, seconds};
use crate::orders::AmendOrder;

impl Amendment for AmendOrder {
    const IN_FLIGHT: u32 = 1;

    fn orders(&self) -> Vec<String> {
        vec![order_reference(|out| out.text(name!("orderId"), &self.order_id))]
    }
}

/// Several amendments at once, of which each order takes three.
#[derive(Clone, Debug)]
struct AmendMany(Vec<AmendOrder>);

impl Parameters for AmendMany {
    fn write(&self, out: &mut ParameterWriter) {
        out.items(&self.0);
    }

    fn read(from: &mut ParameterReader<'_>) -> Option<Self> {
        from.items().map(Self)
    }

    fn check(&self, to: &mut Checks<'_>) {
        to.items("", &self.0);
    }
}

impl Operation for AmendMany {
    type Response = ();
    const META: &'static Meta = AmendOrder::META;
}

impl Callable for AmendMany {
    type Reply = Reply<()>;
}

impl Amendment for AmendMany {
    const IN_FLIGHT: u32 = 3;

    fn orders(&self) -> Vec<String> {
        self.0.iter().flat_map(Amendment::orders).collect()
    }
}

fn amend(id: &str) -> AmendOrder {
    let (tags, legs) = (Vec::new(), Vec::new());
    AmendOrder { order_id: id.into(), take_profit: Edit::Delete, tags, legs, sequence: None }
}

#[test]
fn one_at_a_time() -> Tested {
    let gate = AmendGate::new();
    let pass = gate.enter(&amend("a"))?;
    let busy = gate.enter(&amend("a")).map(drop).map_err(|busy| busy.to_string());
    let expected = "1 of at most 1 amendments of mini orderId=a are under way; wait for a result of one";
    assert_eq!(busy, Err(expected.to_owned()));
    let other = gate.enter(&amend("b"))?;
    assert_eq!(gate.len(), 2);
    drop(pass);
    let again = gate.clone().enter(&amend("a"))?;
    assert!(gate.enter(&amend("a")).is_err(), "clones count together");
    drop((other, again));
    assert!(gate.is_empty());
    Ok(())
}

#[test]
fn a_batch_enters_with_all_its_orders_or_with_none() -> Tested {
    let gate = AmendGate::new();
    let many = |ids: &[&str]| AmendMany(ids.iter().map(|id| amend(id)).collect());
    let mut passes = vec![gate.enter(&amend("a"))?, gate.enter(&many(&["a", "b"]))?, gate.enter(&many(&["a"]))?];
    let busy = gate.enter(&many(&["c", "a"])).map(drop).map_err(|busy| (busy.in_flight, busy.at_most));
    assert_eq!(busy, Err((3, 3)));
    assert_eq!(gate.len(), 2, "c did not enter");
    assert!(gate.enter(&amend("b")).is_err(), "the batch counts for single ones too");
    passes.pop();
    passes.push(gate.enter(&many(&["c", "a"]))?);
    assert!(gate.enter(&many(&["d", "d", "d", "d"])).is_err(), "an order counts as often as it comes");
    passes.push(gate.enter(&many(&["d", "d", "d"]))?);
    passes.clear();
    assert!(gate.is_empty());
    Ok(())
}

#[test]
fn threads_never_have_more_under_way_than_is_allowed() -> Tested {
    use std::sync::atomic::{AtomicU32, Ordering};
    let (gate, request) = (AmendGate::new(), AmendMany(vec![amend("a")]));
    let (under_way, entered) = (AtomicU32::new(0), AtomicU32::new(0));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..2_000 {
                    let Ok(_pass) = gate.enter(&request) else { continue };
                    entered.fetch_add(1, Ordering::SeqCst);
                    assert!(under_way.fetch_add(1, Ordering::SeqCst) < AmendMany::IN_FLIGHT);
                    std::thread::yield_now();
                    under_way.fetch_sub(1, Ordering::SeqCst);
                }
            });
        }
    });
    assert!(entered.into_inner() > 0 && gate.is_empty());
    Ok(())
}

/// The request may arrive for as long as its signature is valid by the exchange's clock, which is not known yet, and take
/// effect a little later.
#[tokio::test]
async fn an_amendment_whose_call_was_dropped_keeps_its_place_while_it_may_arrive() -> Tested {
    let sure = Assumptions { settling: seconds(1), lag: seconds(2), clock_error: seconds(3), ..Assumptions::DEFAULT };
    for (assumed, last) in [(Assumptions::DEFAULT, 190), (sure, 66)] {
        let line = Line::new([Act::Hangs, answers("null")]);
        let client = line.builder().track_orders().assume(assumed).build()?;
        let resize = Resize(OneOrder { client_oid: ClientOid::new("a1")? }, "2".parse()?);
        let mut call = Box::pin(client.call(&resize));
        assert!(std::future::poll_fn(|context| std::task::Poll::Ready(call.as_mut().poll(context).is_pending())).await);
        drop(call);
        for wait in [0, last - 1] {
            line.time.timer().advance(seconds(wait));
            assert!(matches!(client.call(&resize).await, Err(Error::NotAmendable(_))));
        }
        line.time.timer().advance(seconds(1));
        client.call(&resize).await?;
        assert_eq!(line.seen().len(), 2);
    }
    Ok(())
}
