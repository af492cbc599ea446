//! Clocks that differ: which clock requests are signed by, what is corrected, and what is refused.

mod world;

use std::time::Duration;

use tradeapi_runtime::Error;
use tradeapi_runtime::client::SigningClock;
use tradeapi_runtime::clock::Clock;
use tradeapi_runtime::confirm::{self, ConfirmPolicy, Confirmation};
use tradeapi_runtime::retry::{RetryPolicy, Retrying};
use tradeapi_runtime::tables::{Api, CallResult, Envelope, Outcome};

use self::world::{MINUTE, WINDOW, World};
use crate::Tested;
use crate::api::{API, ClientOid, ENVELOPE, Side};
use crate::orders::{Execution, Orders, PlaceOrder};

fn order() -> Result<PlaceOrder, tradeapi_runtime::value::InvalidIdentifier> {
    let order = PlaceOrder::new("BTCUSDT", Side::Buy, 1_u32, Execution::Market);
    Ok(PlaceOrder { client_oid: Some(ClientOid::new("a1")?), ..order })
}

#[tokio::test]
async fn a_read_is_signed_again_by_the_time_of_its_refusal() -> Tested {
    for ahead in [10 * MINUTE, -10 * MINUTE] {
        let world = World::ahead(ahead);
        let client = world.builder().build()?;
        assert_eq!(client.skew(), None);
        let policy = RetryPolicy::new();
        Retrying::new(&client, &policy).call(&Orders::default()).await?;
        let skew = client.skew().ok_or("nothing was learned")?;
        assert!(skew.is_sure() && skew.ahead_ms.abs_diff(ahead) <= 11, "{skew}");
        assert!(skew.uncertainty <= Duration::from_millis(12) && skew.age.is_zero(), "{skew:?}");
        assert_eq!(world.counts(), (1, 1));
        // From then on everything is signed by it at once.
        client.call(&Orders::default()).await?;
        client.call(&order()?).await?;
        assert_eq!(world.counts(), (3, 1));
    }
    Ok(())
}

#[tokio::test]
async fn a_create_is_refused_for_certain_and_only_the_caller_sends_another() -> Tested {
    let world = World::ahead(10 * MINUTE);
    let client = world.builder().build()?;
    let Err(Error::Exchange(error)) = client.call(&order()?).await else { return Err("taken".into()) };
    assert_eq!((error.call_result, error.outcome), (CallResult::TimestampRefused, Outcome::NotDone));
    assert_eq!(world.seen().len(), 1);
    assert_eq!(
        Error::Exchange(error).to_string(),
        "mini.orders failed: code 40008, HTTP status 200 OK, \"expired\"; likely cause: the clock of this machine: the \
         exchange's clock is 600.000 s ahead of the client's, within 0.011 s; it had no effect",
    );
    let reply = client.call(&order()?).await?;
    assert_eq!(world.counts(), (1, 1));
    assert_eq!(reply.signed_at.map(|at| i64::try_from(at.as_millis())), Some(Ok(world.seen()[1].0)));
    Ok(())
}

#[tokio::test]
async fn a_clock_that_is_right_signs_by_itself() -> Tested {
    let world = World::ahead(0);
    let client = world.builder().build()?;
    for _ in 0..5 {
        let own = i64::try_from(Clock::now(&world.here).as_millis())?;
        client.call(&Orders::default()).await?;
        assert_eq!(world.seen().last(), Some(&(own, true)));
    }
    assert!(!client.skew().ok_or("nothing was learned")?.is_sure());
    Ok(())
}

#[tokio::test]
async fn an_uncorrected_clock_repeats_nothing_and_sends_no_doomed_change() -> Tested {
    let world = World::ahead(10 * MINUTE);
    let client = world.builder().signing_clock(SigningClock::Own).build()?;
    let policy = RetryPolicy::new();
    let refused = Retrying::new(&client, &policy).call(&Orders::default()).await;
    assert!(matches!(refused, Err(Error::Exchange(error)) if error.call_result == CallResult::TimestampRefused));
    assert_eq!(world.seen().len(), 1);
    // One refusal alone stops nothing; two that agree show that no order would be accepted.
    assert!(matches!(client.call(&order()?).await, Err(Error::Exchange(_))));
    let Err(Error::Unsigned(unsigned)) = client.call(&order()?).await else { return Err("sent".into()) };
    assert_eq!((world.seen().len(), unsigned.skew.map(|skew| skew.is_sure())), (2, Some(true)));
    let text = Error::Unsigned(unsigned).to_string();
    assert!(text.contains("the exchange's clock is 600.000 s ahead of the client's"), "{text}");
    // Reads are sent, and orders are sent as soon as the clock is set right.
    assert!(client.call(&Orders::default()).await.is_err());
    world.here.set_ahead(10 * MINUTE);
    client.call(&order()?).await?;
    assert_eq!(world.counts(), (1, 3));
    Ok(())
}

#[tokio::test]
async fn an_outdated_skew_refuses_no_order() -> Tested {
    let world = World::ahead(10 * MINUTE);
    let client = world.builder().signing_clock(SigningClock::Own).build()?;
    for _ in 0..2 {
        assert!(client.call(&Orders::default()).await.is_err());
    }
    assert!(matches!(client.call(&order()?).await, Err(Error::Unsigned(_))));
    world.here.timer().advance(Duration::from_millis(WINDOW + 1));
    assert!(matches!(client.call(&order()?).await, Err(Error::Exchange(_))), "it is sent, and refused by the exchange");
    Ok(())
}

/// Times that no exchange sends, and times that are wrong by a little and by a lot.
const ABSURD: [u64; 6] = [0, 1, 1_700_003_600_000, 1_262_304_000_000, 4_102_444_800_000, u64::MAX];

#[tokio::test]
async fn no_time_in_a_refusal_keeps_the_client_from_trading() -> Tested {
    for signing in [SigningClock::Own, SigningClock::Corrected] {
        for time in ABSURD {
            let world = World::ahead(0);
            let client = world.builder().signing_clock(signing).build()?;
            // Refused for another reason: nothing is learned.
            world.change(|state| state.refusal = Some(("40786", time)));
            for _ in 0..3 {
                assert!(matches!(client.call(&order()?).await, Err(Error::Exchange(_))), "{time}");
            }
            world.change(|state| state.refusal = None);
            client.call(&order()?).await?;
            // Refused for its timestamp: at most the next one is signed in vain, and it is sent.
            world.change(|state| state.refusal = Some(("40008", time)));
            assert!(matches!(client.call(&order()?).await, Err(Error::Exchange(_))), "{time}");
            world.change(|state| state.refusal = None);
            let (accepted, refused) = world.counts();
            let _ = client.call(&order()?).await;
            assert_eq!(world.seen().len(), accepted + refused + 1, "{signing:?} {time}: it is sent");
            client.call(&order()?).await?;
        }
    }
    Ok(())
}

#[tokio::test]
async fn a_lie_that_every_refusal_repeats_costs_every_other_call_at_most() -> Tested {
    for time in ABSURD {
        let world = World::ahead(0);
        let client = world.builder().build()?;
        world.change(|state| state.refusal = Some(("40008", time)));
        let now = i64::try_from(Clock::now(&world.here).as_millis())?;
        for _ in 0..8 {
            assert!(matches!(client.call(&order()?).await, Err(Error::Exchange(_))), "{time}");
        }
        let right = world.seen().iter().filter(|(signed, _)| signed.abs_diff(now) < WINDOW).count();
        assert!(right >= 4, "{time}: {:?}", world.seen());
    }
    Ok(())
}

#[tokio::test]
async fn a_wall_clock_that_is_set_wrong_is_noticed_rather_than_signed_with() -> Tested {
    let world = World::ahead(0);
    let client = world.builder().build()?;
    client.call(&Orders::default()).await?;
    world.here.set_ahead(-90 * MINUTE);
    assert_eq!(client.skew().map(|skew| skew.ahead_ms / MINUTE), Some(90));
    client.call(&order()?).await?;
    assert_eq!(world.counts(), (2, 0));
    Ok(())
}

#[tokio::test]
async fn after_a_sleep_the_wall_clock_counts_again() -> Tested {
    let world = World::ahead(0);
    let client = world.builder().build()?;
    client.call(&Orders::default()).await?;
    // Two hours pass that the steady clock does not show.
    world.here.set_ahead(120 * MINUTE);
    world.change(|state| state.there = 120 * MINUTE);
    assert_eq!(client.skew(), None);
    client.call(&order()?).await?;
    assert_eq!(world.counts(), (2, 0));
    Ok(())
}

#[tokio::test]
async fn a_prepared_request_is_refused_once_its_signature_ran_out_by_any_clock() -> Tested {
    let order = order()?;
    // By the steady clock, though the wall clock was set back.
    let world = World::ahead(0);
    let client = world.builder().build()?;
    let prepared = client.prepare(&order)?;
    world.here.timer().advance(Duration::from_millis(WINDOW));
    world.here.set_ahead(-5 * MINUTE);
    assert!(matches!(client.send(prepared).await, Err(Error::Unsigned(unsigned)) if unsigned.skew.is_none()));
    // By the wall clock, though the steady one slept.
    let prepared = client.prepare(&order)?;
    world.here.set_ahead(0);
    assert!(matches!(client.send(prepared).await, Err(Error::Unsigned(_))));
    // By what was learned of the exchange's clock in between.
    let world = World::ahead(40_000);
    let client = world.builder().build()?;
    let prepared = client.prepare(&order)?;
    let reads = Orders::default();
    let read = client.prepare(&reads)?;
    assert!(client.call(&Orders::default()).await.is_err());
    assert!(matches!(client.send(prepared).await, Err(Error::Unsigned(unsigned)) if unsigned.skew.is_some()));
    assert_eq!(world.seen().len(), 1);
    assert!(matches!(client.send(read).await, Err(Error::Exchange(_))));
    // A request whose signature is valid is sent.
    let prepared = client.prepare(&order)?;
    world.here.timer().advance(Duration::from_millis(WINDOW - 100));
    client.send(prepared).await?;
    assert_eq!(world.counts(), (1, 2));
    Ok(())
}

#[tokio::test]
async fn absence_is_judged_by_the_time_the_request_was_signed_as_of() -> Tested {
    for ahead in [10 * MINUTE, -10 * MINUTE] {
        let world = World::ahead(ahead);
        let client = world.builder().build()?;
        assert!(client.call(&Orders::default()).await.is_err());
        world.change(|state| state.silent = true);
        let order = order()?;
        // Signed by the corrected clock: the order may appear until the window and the settling time are over.
        let brief = ConfirmPolicy::new().deadline(Duration::from_secs(158));
        let Confirmation::Unknown(still) = confirm::place_and_confirm(&client, &order, &brief).await else {
            return Err("known".into());
        };
        assert_eq!(still.because.why(), "it was not found, but may still appear");
        let patient = ConfirmPolicy::new();
        let confirmation = confirm::place_and_confirm(&client, &order, &patient).await;
        assert!(matches!(confirmation, Confirmation::NotDone(not) if not.by_absence), "{ahead}");
        let (_, refused) = world.counts();
        assert_eq!(refused, 1);
    }
    Ok(())
}

#[tokio::test]
async fn unsigned_answers_do_not_set_the_clock() -> Tested {
    let world = World::ahead(10 * MINUTE);
    world.change(|state| state.silent = true);
    let client = world.builder().build()?;
    assert!(matches!(client.call(&order()?).await, Err(Error::Unknown(_))));
    assert_eq!(client.skew(), None);
    Ok(())
}

/// An API whose answers state the time in a header only.
static TIMELESS: Api = Api { envelope: Some(Envelope { time: None, ..ENVELOPE }), ..API };

#[tokio::test]
async fn the_date_header_sets_the_clock_to_the_second() -> Tested {
    let world = World::ahead(10 * MINUTE);
    let client = world.of(&TIMELESS).build()?;
    let policy = RetryPolicy::new();
    Retrying::new(&client, &policy).call(&Orders::default()).await?;
    let skew = client.skew().ok_or("nothing was learned")?;
    let wrong = u128::from(skew.ahead_ms.abs_diff(10 * MINUTE));
    assert!(wrong <= skew.uncertainty.as_millis() + 1 && skew.uncertainty.as_millis() <= 510, "{skew:?}");
    assert_eq!(world.counts(), (1, 1));
    // With a time in the answers, the header is not looked at.
    let world = World::ahead(0);
    world.change(|state| state.date_ahead = 5_000);
    let client = world.builder().build()?;
    client.call(&Orders::default()).await?;
    assert_eq!(client.skew().map(|skew| skew.is_sure()), Some(false));
    Ok(())
}
