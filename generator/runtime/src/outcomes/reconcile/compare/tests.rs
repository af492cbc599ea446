//! Reports about each order, for every state of a journal and of an account.
#![allow(clippy::unwrap_used, reason = "a test that fails panics")]

use std::time::Duration;

use super::{compare, earliest};
use crate::data::lifecycle::Sighting;
use crate::data::tables::Outcome;
use crate::data::value::Timestamp;
use crate::outcomes::confirm::OrderLookup;
use crate::outcomes::reconcile::known::{Absence, Adopted, JournalOrders, Listings, Missing, missing};
use crate::outcomes::reconcile::listing::{Fill, Listing, Part};
use crate::outcomes::reconcile::report::{Difference, Gone};
use crate::state::evidence::Seen;
use crate::state::journal::{Change, ChangeNumber, Ending, LostSpan, StoredChange};

const FAMILY: &str = "family";

/// A request is the ids of its orders; `-` is an order without one.
const LOOK: OrderLookup = OrderLookup {
    ids: |request| Ok(request.split(' ').map(|id| (id != "-").then(|| id.to_owned())).collect()),
    query: |_, _, _| Box::pin(std::future::ready(Ok(Seen::Nothing("")))),
    kept: Some(Duration::from_secs(100)),
    order: |_, _| {},
    properties: |_, _| {},
    family: FAMILY,
};

fn at(seconds: u64) -> Timestamp {
    Timestamp::from_millis(seconds * 1_000)
}

/// Returns a journal, of requests with the second in which they were signed and their outcome.
fn journal_of(changes: &[(&str, u64, Option<Outcome>)], look: OrderLookup) -> JournalOrders {
    journal_of_families(changes, look, &[])
}

fn journal_of_families(
    changes: &[(&str, u64, Option<Outcome>)],
    look: OrderLookup,
    families: &[String],
) -> JournalOrders {
    let mut known = JournalOrders::of_families(families);
    for (number, (request, signed, outcome)) in (1..).zip(changes) {
        let change = Change::new("family.place", *request, at(*signed));
        // A request with a dot changes what it names.
        let stored = StoredChange::new(ChangeNumber(number), change, outcome.map(Ending::new));
        let placed = known.place(&stored, look, !request.contains('.'));
        assert!(placed.is_ok());
    }
    known
}

/// Returns a journal of requests that can no longer arrive; what was listed once is listed again.
fn journal(changes: &[(&str, u64, Option<Outcome>)]) -> JournalOrders {
    certain(journal_of(changes, LOOK))
}

fn certain(mut known: JournalOrders) -> JournalOrders {
    known.note_due(&|_, _| true);
    known.listed_again(FAMILY);
    known
}

fn order(id: &str, client_id: Option<&str>, has_ended: bool) -> Sighting {
    Sighting {
        id: Some(id.to_owned()),
        client_id: client_id.map(str::to_owned),
        state: None,
        has_ended: Some(has_ended),
        at: None,
        created: None,
        record: String::new(),
    }
}

/// Returns what listings show: orders, and whether they ended.
fn shown(orders: &[(&str, Option<&str>, bool)]) -> Listings {
    let mut shown = Listings::default();
    for (id, client_id, has_ended) in orders {
        let part = if *has_ended { Part::PastOrders } else { Part::OpenOrders };
        shown.add_order(FAMILY, order(id, *client_id, *has_ended), Some((Listing::unread(part), None)));
    }
    shown
}

fn filled(mut shown: Listings, order: &str, client_id: Option<&str>, quantity: i64) -> Listings {
    let (order, client_id) = (order.to_owned(), client_id.map(str::to_owned));
    let fill = Fill { order, client_id, quantity: quantity.into(), trade: None };
    assert_eq!(shown.add_fill(FAMILY, fill), Ok(()));
    shown
}

/// Returns the differences since second 10, by id.
fn differences(known: &JournalOrders, shown: &Listings) -> Vec<(Option<String>, Difference)> {
    let own = ["own-".to_owned()];
    compare(known, shown, at(10), &own).into_iter().map(|order| (order.id, order.difference)).collect()
}

fn one(known: &JournalOrders, shown: &Listings) -> Difference {
    let all = differences(known, shown);
    assert_eq!(all.len(), 1, "{all:?}");
    all[0].1
}

/// Returns whether the order is open, and in which part, after the parts showed it.
fn after(parts: &[(Part, bool)]) -> Option<(bool, Option<Part>)> {
    let mut shown = Listings::default();
    for (part, has_ended) in parts {
        shown.add_order(FAMILY, order("1", None, *has_ended), Some((Listing::unread(*part), None)));
    }
    let order = shown.orders.iter().next()?.1;
    Some((order.is_open, order.open_in.map(|(listing, _)| listing.part)))
}

#[test]
fn a_request_that_creates_nothing_misses_nothing() {
    let done = Some(Outcome::Done);
    let known = journal(&[("a.1", 20, done), ("a.2", 20, None)]);
    assert_eq!(differences(&known, &shown(&[])), []);
    assert!(missing(&known, &shown(&[]), at(10), at(30)).is_empty());
    // The order may have taken the id.
    assert_eq!(one(&known, &shown(&[("1", Some("a.1"), false)])), Difference::AsExpected);
    // What was placed with the id is missed, whichever request came first.
    let changes = [("b", 20, done), ("b", 21, done)];
    for order in [[true, false], [false, true]] {
        let mut known = JournalOrders::default();
        for (number, ((request, signed, outcome), creates)) in (1..).zip(changes.into_iter().zip(order)) {
            let change = Change::new("family.place", request, at(signed));
            let stored = StoredChange::new(ChangeNumber(number), change, outcome.map(Ending::new));
            assert!(known.place(&stored, LOOK, creates).is_ok());
        }
        assert_eq!(one(&certain(known), &shown(&[])), Difference::Gone(Gone::NotOpen));
    }
}

#[test]
fn only_a_listing_of_open_orders_shows_an_order_to_act_on() {
    let (open, past) = (Part::OpenOrders, Part::PastOrders);
    assert_eq!(after(&[(open, false)]), Some((true, Some(open))));
    assert_eq!(after(&[(past, false)]), Some((true, None)));
    assert_eq!(after(&[(open, false), (past, false)]), Some((true, Some(open))));
    assert_eq!(after(&[(open, false), (past, true)]).map(|(is_open, _)| is_open), Some(false));
    assert_eq!(after(&[(past, true), (open, false)]).map(|(is_open, _)| is_open), Some(false));
}

#[test]
fn of_two_records_the_later_counts() {
    let record = |second, state: &str| Sighting {
        at: Some(at(second)),
        state: Some(state.to_owned()),
        ..order("1", None, false)
    };
    for (first, second) in [(5, 6), (6, 5)] {
        let mut shown = Listings::default();
        for second in [first, second] {
            shown.add_order(FAMILY, record(second, &second.to_string()), None);
        }
        let states: Vec<_> = shown.orders.iter().filter_map(|(_, order)| order.sighting.state.as_deref()).collect();
        assert_eq!(states, ["6"]);
    }
}

#[test]
fn shown_orders_differ_by_their_state_in_the_journal() {
    let (open, ended) = (shown(&[("1", Some("a"), false)]), shown(&[("1", Some("a"), true)]));
    for outcome in [None, Some(Outcome::Done), Some(Outcome::Unknown)] {
        let known = journal(&[("a", 20, outcome)]);
        assert_eq!((one(&known, &open), one(&known, &ended)), (Difference::AsExpected, Difference::Ended));
    }
    let refused = journal(&[("a", 20, Some(Outcome::NotDone))]);
    assert_eq!(one(&refused, &open), Difference::Contradiction);
    let nothing = journal(&[]);
    assert_eq!(one(&nothing, &open), Difference::Foreign);
    assert_eq!(one(&nothing, &shown(&[("1", Some("own-a"), false)])), Difference::Unjournaled);
    assert_eq!(one(&nothing, &shown(&[("1", None, false)])), Difference::Foreign);
}

#[test]
fn an_order_that_the_journal_may_have_lost_is_not_foreign() {
    // It changed later.
    let created_at = |client_id, second: Option<u64>| {
        let mut shown = Listings::default();
        let (at, created) = (Some(at(90_000)), second.map(at));
        shown.add_order(FAMILY, Sighting { at, created, ..order("1", client_id, false) }, None);
        shown
    };
    let own = ["own-".to_owned()];
    let gap = LostSpan::after(Some(at(1_000)));
    let closed = gap.until(at(2_000));
    let difference = |span, client_id, second, own_prefixes: &[String]| {
        let mut known = journal(&[]);
        known.lost.push(span);
        compare(&known, &created_at(client_id, second), at(10), own_prefixes)[0].difference
    };
    for client_id in [None, Some("a")] {
        for (span, second, is_lost) in [
            (gap, Some(399), false),
            (gap, Some(400), true),
            (gap, Some(80_000), true),
            (gap, None, true),
            (closed, Some(399), false),
            (closed, Some(400), true),
            (closed, Some(2_600), true),
            (closed, Some(2_601), false),
            (closed, None, true),
        ] {
            let expected = if is_lost { Difference::PerhapsLost } else { Difference::Foreign };
            assert_eq!(difference(span, client_id, second, &[]), expected, "{span:?}, {second:?}");
        }
    }
    assert_eq!(difference(gap, Some("own-a"), Some(400), &own), Difference::Unjournaled);
    assert_eq!(difference(gap, Some("a"), Some(400), &own), Difference::Foreign);
    assert_eq!(difference(gap, None, Some(400), &own), Difference::PerhapsLost);
}

#[test]
fn one_refused_attempt_with_an_id_proves_nothing_about_the_others() {
    let open = shown(&[("1", Some("a"), false)]);
    for outcomes in [[Outcome::Done, Outcome::NotDone], [Outcome::NotDone, Outcome::Done]] {
        let known = journal(&outcomes.map(|outcome| ("a", 20, Some(outcome))));
        assert_eq!(one(&known, &open), Difference::AsExpected);
    }
}

#[test]
fn an_order_without_an_id_may_be_any_that_the_journal_has_without_one() {
    let open = shown(&[("1", None, false)]);
    for outcome in [None, Some(Outcome::Done)] {
        assert_eq!(one(&journal(&[("-", 20, outcome)]), &open), Difference::Unattributed);
    }
    assert_eq!(one(&journal(&[("-", 20, Some(Outcome::NotDone))]), &open), Difference::Foreign);
}

#[test]
fn orders_that_are_not_shown_are_gone_or_unsettled() {
    let nothing = Listings::default();
    for outcome in [None, Some(Outcome::Done), Some(Outcome::Unknown)] {
        assert_eq!(one(&journal(&[("a", 20, outcome)]), &nothing), Difference::Gone(Gone::NotOpen));
    }
    assert_eq!(differences(&journal(&[("a", 20, Some(Outcome::NotDone))]), &nothing), []);
    assert_eq!(one(&journal(&[("a", 10, Some(Outcome::Done))]), &nothing), Difference::Gone(Gone::NotOpen));
    assert_eq!(
        differences(&journal(&[("a", 9, Some(Outcome::Done))]), &nothing),
        [],
        "before the time of the comparison"
    );
}

/// An order is gone only if its request can no longer arrive, and the exchange denied it as often as needed or listed
/// the open orders twice without it, whatever the journal has of the request.
#[test]
fn an_absence_is_certain_only_if_it_is_due_and_repeated() {
    let nothing = Listings::default();
    for outcome in [None, Some(Outcome::Done), Some(Outcome::Unknown)] {
        for is_due in [false, true] {
            for (is_denied, listed) in
                [(false, None), (true, None), (false, Some("another")), (false, Some(FAMILY)), (true, Some(FAMILY))]
            {
                let mut known = journal_of(&[("a", 20, outcome)], LOOK);
                known.note_due(&|_, _| is_due);
                if is_denied {
                    missing(&known, &nothing, at(10), at(30)).iter().for_each(|missing| known.deny(missing));
                }
                listed.into_iter().for_each(|family| known.listed_again(family));
                let is_gone = is_due && (is_denied || listed == Some(FAMILY));
                let gone = if is_gone { Gone::NotOpen } else { Gone::Unsettled };
                assert_eq!(one(&known, &nothing), Difference::Gone(gone), "{is_due} {is_denied} {listed:?}");
                let settled = known.settle(&nothing);
                assert_eq!(settled.is_empty(), !is_gone || outcome.is_some(), "{is_due} {is_denied} {listed:?}");
            }
        }
    }
}

/// Only a second listing decides about an order that can no longer be queried, and about an adopted one.
#[test]
fn what_cannot_be_queried_needs_another_listing() {
    let nothing = Listings::default();
    let needs = |known: &JournalOrders| known.needs_listing(&nothing, at(10));
    let mut known = journal_of(&[("a", 20, Some(Outcome::Done))], LOOK);
    assert!(!needs(&known), "its request may still arrive");
    known.note_due(&|_, _| true);
    assert!(needs(&known));
    missing(&known, &nothing, at(10), at(30)).iter().for_each(|missing| known.deny(missing));
    assert!(!needs(&known));
    for (is_due, listed, gone) in
        [(false, Some(FAMILY), Gone::Unsettled), (true, None, Gone::Unsettled), (true, Some(FAMILY), Gone::NotOpen)]
    {
        let mut known = JournalOrders::default();
        known.add_adopted((FAMILY, "1".to_owned()), adopted(20));
        known.note_due(&|_, _| is_due);
        assert_eq!(needs(&known), is_due);
        listed.into_iter().for_each(|family| known.listed_again(family));
        assert_eq!(one(&known, &nothing), Difference::Gone(gone));
        let filled = filled(Listings::default(), "1", None, 2);
        let of_fills = if gone == Gone::NotOpen { Difference::Ended } else { Difference::Gone(gone) };
        assert_eq!(one(&known, &filled), of_fills);
    }
}

fn adopted(second: u64) -> Adopted {
    let (number, client_id) = (ChangeNumber(9), Some("a".to_owned()));
    let signed = at(second).into();
    Adopted { number, signed, client_id, record: String::new(), absence: Absence::default() }
}

#[test]
fn a_change_is_settled_with_the_last_of_its_orders() {
    let mut known = journal_of(&[("a b", 20, None), ("c", 30, None), ("x.1", 20, None)], LOOK);
    known.note_due(&|(_, id), signed| signed.latest() < at(25) && id != Some("b"));
    known.listed_again(FAMILY);
    // An amendment creates nothing, so that nothing is missed.
    assert_eq!(known.settle(&Listings::default()), [ChangeNumber(3)]);
    let of = |id: &str, known: &JournalOrders| {
        let order = compare(known, &Listings::default(), at(10), &[]);
        order.into_iter().find(|order| order.client_id.as_deref() == Some(id)).unwrap().difference
    };
    assert_eq!(
        ["a", "b", "c"].map(|id| of(id, &known)),
        [Difference::Gone(Gone::NotOpen), Difference::Gone(Gone::Unsettled), Difference::Gone(Gone::Unsettled)]
    );
    known.note_due(&|_, signed| signed.latest() < at(25));
    known.listed_again(FAMILY);
    assert_eq!(known.settle(&Listings::default()), [ChangeNumber(1)]);
    // What the account shows is settled as soon as it can no longer arrive twice.
    let mut known = journal_of(&[("a b", 20, None)], LOOK);
    let both = filled(shown(&[("1", Some("a"), false)]), "2", Some("b"), 1);
    assert!(known.settle(&both).is_empty());
    known.note_due(&|_, _| true);
    assert_eq!(known.settle(&both), [ChangeNumber(1)]);
}

#[test]
fn an_order_of_another_name_is_neither_foreign_nor_lost() {
    let mut known = journal(&[]);
    known.of_others.insert((FAMILY, "a".to_owned()), ChangeNumber(7));
    known.of_others.insert((FAMILY, "2".to_owned()), ChangeNumber(8));
    for is_lost in [false, true] {
        let own = ["own-".to_owned(), "a".to_owned()];
        known.lost.extend(is_lost.then(|| LostSpan::after(None)));
        let shown = filled(shown(&[("1", Some("a"), false), ("2", None, false)]), "3", Some("a"), 1);
        let all = compare(&known, &shown, at(10), &own);
        let changes: Vec<_> = all.iter().map(|order| order.change.map(|number| number.0)).collect();
        assert_eq!(changes, [Some(7), Some(8), Some(7)]);
        assert!(all.iter().all(|order| order.difference == Difference::OtherName));
        assert_eq!(all.iter().map(|order| order.needs_attention()).collect::<Vec<_>>(), [true, true, false]);
    }
}

#[test]
fn fills_alone_show_an_order() {
    let fills = |client_id| filled(filled(Listings::default(), "1", client_id, 2), "1", None, 3);
    let placed = journal(&[("a", 20, None)]);
    assert_eq!(one(&placed, &fills(Some("a"))), Difference::Gone(Gone::NotOpen));
    let orders = compare(&placed, &fills(Some("a")), at(10), &[]);
    assert_eq!((orders[0].filled.as_str(), orders[0].id.as_deref()), ("5", Some("1")));
    assert_eq!(one(&journal(&[("a", 20, Some(Outcome::NotDone))]), &fills(Some("a"))), Difference::Contradiction);
    assert_eq!(one(&journal(&[]), &fills(Some("a"))), Difference::Foreign);
    assert_eq!(one(&journal(&[]), &fills(None)), Difference::Unattributed);
    // An order from before the comparison, with a fill since.
    assert_eq!(one(&journal(&[("a", 5, Some(Outcome::Done))]), &fills(Some("a"))), Difference::Gone(Gone::NotOpen));
}

#[test]
fn only_one_of_two_orders_with_one_id_is_matched() {
    let fills = filled(filled(Listings::default(), "1", Some("a"), 1), "2", Some("a"), 1);
    let all = differences(&journal(&[("a", 20, Some(Outcome::Done))]), &fills);
    let ids: Vec<_> = all.iter().filter_map(|(id, _)| id.as_deref()).collect();
    assert_eq!(ids, ["1", "2"]);
    assert!(all.iter().any(|(_, difference)| *difference == Difference::Unattributed));
    assert!(all.iter().all(|(_, difference)| *difference != Difference::Foreign));
}

#[test]
fn orders_are_queried_that_are_not_shown_and_still_kept() {
    let known = journal(&[
        ("shown", 20, Some(Outcome::Done)),
        ("refused", 20, Some(Outcome::NotDone)),
        ("before", 9, Some(Outcome::Done)),
        ("kept", 21, Some(Outcome::Done)),
        ("forgotten", 20, Some(Outcome::Done)),
        ("open", 119, None),
    ]);
    let shown = shown(&[("1", Some("shown"), false)]);
    let queried = missing(&known, &shown, at(10), at(120));
    let ids: Vec<_> = queried.iter().map(|Missing { client_id, .. }| client_id.as_str()).collect();
    assert_eq!(ids, ["kept", "open"]);
    let forever = journal_of(&[("old", 20, Some(Outcome::Done))], OrderLookup { kept: None, ..LOOK });
    assert_eq!(missing(&forever, &Listings::default(), at(10), at(1_000_000)).len(), 1);
}

#[test]
fn the_next_comparison_begins_before_the_earliest_open_order() {
    let mut known = journal_of(
        &[
            ("ended", 11, Some(Outcome::Done)),
            ("open", 13, Some(Outcome::Done)),
            ("unsettled", 12, Some(Outcome::Done)),
            ("gone", 10, Some(Outcome::Done)),
        ],
        LOOK,
    );
    known.note_due(&|(request, _), _| request == "gone");
    known.listed_again(FAMILY);
    let shown = shown(&[("1", Some("ended"), true), ("2", Some("open"), false)]);
    let orders = compare(&known, &shown, at(10), &[]);
    assert_eq!(earliest(&known, &orders, at(1)), Some(at(12)));
    let known = journal(&[("open", 13, Some(Outcome::Done)), ("gone", 10, Some(Outcome::Done))]);
    assert_eq!(earliest(&known, &compare(&known, &shown, at(10), &[]), at(1)), Some(at(13)));
    assert_eq!(earliest(&known, &[], at(1)), None);
    // The journal does not know when an order of this program was placed that it lacks.
    let own = ["own-".to_owned()];
    for (id, own_prefixes, lost) in [("own-1", &own[..], None), ("lost", &[], Some(LostSpan::after(None)))] {
        let mut known = journal(&[]);
        known.lost.extend(lost);
        let open = compare(&known, &self::shown(&[("1", Some(id), false)]), at(10), own_prefixes);
        assert_eq!(earliest(&journal(&[]), &open, at(1)), Some(at(1)), "{id}");
    }
}

#[test]
fn only_the_families_that_are_named_are_compared() {
    for (families, compared) in [(vec![], 1), (vec![FAMILY], 1), (vec!["another", FAMILY], 1), (vec!["another"], 0)] {
        let families: Vec<_> = families.into_iter().map(str::to_owned).collect();
        let known = certain(journal_of_families(&[("a", 20, Some(Outcome::Done))], LOOK, &families));
        assert_eq!((differences(&known, &Listings::default()).len(), known.is_partial()), (compared, compared == 0));
    }
    let nameless = |families: &[String]| journal_of_families(&[("-", 20, Some(Outcome::Done))], LOOK, families);
    assert!(!nameless(&[]).is_partial() && nameless(&["another".to_owned()]).is_partial());
}

/// A query may show a state that no document lists. The order counts as open then.
#[test]
fn an_order_in_an_undocumented_state_is_open_unless_a_listing_of_past_orders_has_it() {
    let undocumented = || Sighting { has_ended: None, ..order("1", Some("a"), false) };
    for (listed, is_open) in [(None, true), (Some(Part::OpenOrders), true), (Some(Part::PastOrders), false)] {
        let mut shown = Listings::default();
        shown.add_order(FAMILY, undocumented(), listed.map(|part| (Listing::unread(part), None)));
        assert_eq!(shown.orders.iter().next().map(|(_, order)| order.is_open), Some(is_open), "{listed:?}");
    }
}

/// The same id was refused before; the order that was adopted belongs to someone else.
#[test]
fn an_adopted_order_contradicts_no_refusal() {
    let mut known = journal(&[("a", 20, Some(Outcome::NotDone))]);
    let shown = shown(&[("1", Some("a"), false)]);
    assert_eq!(one(&known, &shown), Difference::Contradiction);
    let adopt = |known: &mut JournalOrders| {
        known.add_adopted((FAMILY, "1".to_owned()), adopted(20));
    };
    adopt(&mut known);
    assert_eq!(one(&known, &shown), Difference::AsExpected);
    let mut others = journal_of_families(&[], LOOK, &["another".to_owned()]);
    adopt(&mut others);
    assert_eq!(one(&others, &shown), Difference::Foreign);
    assert_eq!(differences(&others, &Listings::default()), [], "what was adopted in another family is not missed");
}
