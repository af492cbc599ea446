//! Rules that compare values, in an invented API.

use apis::assorted::desk::StopOrder;
use apis::assorted::{Decimal, Operation, Timestamp, dec};
use tradeapi_runtime::account::{Account, Instrument};
use tradeapi_runtime::checks::CheckContext;

const NOW: u64 = 1_790_000_000_000;
const DAY: u64 = 24 * 60 * 60 * 1000;

/// Returns the rules that an order breaks for an account.
fn broken_for(order: &StopOrder, account: &Account) -> Vec<String> {
    let now = Some(Timestamp::from_millis(NOW));
    let found = order.inspect(CheckContext { account, now, ..CheckContext::default() });
    found.iter().map(|one| one.rule.clone()).collect()
}

fn broken(order: &StopOrder) -> Vec<String> {
    broken_for(order, &Account::default())
}

fn order(price: Decimal) -> StopOrder {
    StopOrder::new("a", "b", price, dec!(1)).note("n")
}

fn until(millis: u64) -> Timestamp {
    Timestamp::from_millis(millis)
}

#[test]
fn a_parameter_is_compared_with_another() {
    assert_eq!(broken(&order(dec!(1.99)).trigger(dec!(2))), [""; 0]);
    assert_eq!(broken(&order(dec!(2)).trigger(dec!(2.0))), ["below-trigger"]);
    assert_eq!(broken(&order(dec!(2.01)).trigger(dec!(2))), ["below-trigger"]);
    assert_eq!(broken(&order(dec!(2)).shown(3).parts(3)), [""; 0]);
    assert_eq!(broken(&order(dec!(2)).shown(4).parts(3)), ["parts"]);
    assert_eq!(broken(&order(dec!(2)).shown(4)), [""; 0], "with a missing one, nothing is compared");
}

#[test]
fn a_parameter_is_compared_with_a_number() {
    assert_eq!(broken(&order(dec!(99.5))), ["worth"; 0]);
    assert_eq!(broken(&order(dec!(99.51))), ["worth"]);
    assert_eq!(broken(&order(dec!(2)).shown(1)), ["some-parts"]);
    assert_eq!(broken(&order(dec!(2)).shown(2)), [""; 0]);
}

#[test]
fn a_time_is_compared_with_now() {
    let since = |millis| order(dec!(2)).since(Timestamp::from_millis(millis));
    assert_eq!(broken(&since(NOW - 30 * DAY + 1)), [""; 0]);
    assert_eq!(broken(&since(NOW - 30 * DAY - 59_999)), [""; 0], "another clock may differ");
    assert_eq!(broken(&since(NOW - 30 * DAY - 60_000)), ["fresh"]);
    assert_eq!(broken(&order(dec!(2)).until(until(NOW + DAY + 60_000))), ["not-for-long"]);
    assert_eq!(broken(&order(dec!(2)).until(until(NOW + DAY))), [""; 0]);
    assert_eq!(broken(&order(dec!(2)).until(until(NOW - 60_000))), ["to-come"]);
    let without_time = since(0).inspect(CheckContext::default());
    assert_eq!(without_time.iter().count(), 0, "without the time, nothing is compared");
}

#[test]
fn a_size_has_the_ceiling_of_its_instrument() {
    let most = |most: Decimal| {
        let mut account = Account::default();
        account.set_instrument("a", "b", Instrument::new().with("most", most));
        account
    };
    assert_eq!(broken_for(&order(dec!(2)), &most(dec!(1))), [""; 0]);
    assert_eq!(broken_for(&order(dec!(2)), &most(dec!(0.99))), ["most"]);
}

#[test]
fn an_entry_can_be_negated() {
    let without_note = StopOrder::new("a", "b", dec!(1), dec!(1));
    assert_eq!(broken(&without_note), [""; 0]);
    assert_eq!(broken(&without_note.trigger(dec!(2))), ["said-why"]);
    let line_b = |price| StopOrder::new("b", "b", price, dec!(1)).note("n");
    assert_eq!(broken(&line_b(dec!(49))), [""; 0]);
    assert_eq!(broken(&line_b(dec!(50))), ["apart"]);
    assert_eq!(broken(&order(dec!(50))), [""; 0]);
}
