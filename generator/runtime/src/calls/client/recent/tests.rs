//! Which requests are remembered, for how long, and what is a rival.

use super::*;

fn at(seconds: u64) -> Moment {
    Moment { wall: Timestamp::default(), steady: Duration::from_secs(seconds) }
}

fn millis(millis: u64) -> Timestamp {
    Timestamp::from_millis(millis)
}

/// Amends what has an id.
const AMENDS: Confirm =
    Confirm { ids: &[("id", "amends")], matches: &[("qty", "qty"), ("price", "newPrice")], ..Confirm::DEFAULT };

/// Gives an id to something new.
const CREATES: Confirm = Confirm {
    ids: &[("id", "id")],
    created: Some("created"),
    agrees: &[("qty", &["qty", "amount"]), ("price", &["price"])],
    ..Confirm::DEFAULT
};

/// Gives ids to several new things.
const CREATES_SEVERAL: Confirm = Confirm { list: Some("[]"), ..CREATES };

fn about(signed_at: u64, now: u64, confirm: &'static Confirm) -> RequestFacts {
    let signed = SigningTimes { signed_at: millis(signed_at), made_at: Some(millis(1_000 * now)) };
    let operation = match IdUse::of(confirm) {
        IdUse::Nothing => "mini.amend",
        IdUse::One => "mini.place",
        IdUse::Several => "mini.place-batch",
    };
    RequestFacts { operation, signed, made: at(now), is_of_earlier_run: false, confirm, key: None }
}

fn prepare(recent: &RecentRequests, signed_at: u64, now: u64, body: &str) -> RequestNumber {
    let confirm = match body {
        _ if body.starts_with("{\"id") => &CREATES,
        _ if body.starts_with('[') => &CREATES_SEVERAL,
        _ => &AMENDS,
    };
    recent.remember(body.as_bytes(), about(signed_at, now, confirm))
}

/// Sends an attempt of a request whose repeats the exchange recognizes for a minute.
fn attempt(recent: &RecentRequests, signed_at: u64, now: u64, body: &str) -> RequestNumber {
    let key = Some(KeyOfRepeats { kept: Some(Duration::from_secs(60)) });
    let request = recent.remember(body.as_bytes(), RequestFacts { key, ..about(signed_at, now, &CREATES) });
    recent.leaves(request, at(now));
    request
}

fn send(recent: &RecentRequests, signed_at: u64, now: u64, body: &str) -> RequestNumber {
    let request = prepare(recent, signed_at, now, body);
    recent.leaves(request, at(now));
    request
}

#[test]
fn a_request_that_refers_to_an_id_does_not_use_it_again() {
    let recent = RecentRequests::default();
    send(&recent, 1, 0, r#"{"id":"a"}"#);
    send(&recent, 2, 7, r#"{"amends":"a"}"#);
    assert!(!recent.is_named_twice("a", millis(1)));
    let left = |id, signed_at| recent.left(id, millis(signed_at)).map(|left| left.steady.as_secs());
    assert_eq!((left("a", 1), left("a", 2), left("a", 3), left("b", 1)), (Some(0), Some(7), None, None));
    send(&recent, 2, 8, r#"{"amends":"a"}"#);
    assert_eq!(left("a", 2), None, "it may be either");
}

/// Each request comes an hour after the one before, so that two others are remembered, and the buffer of their bodies
/// wraps around at every possible place.
#[test]
fn an_id_is_found_wherever_the_buffer_wraps_around() {
    let (recent, mut has_wrapped) = (RecentRequests::default(), false);
    for hour in 0..200 {
        send(&recent, hour, hour * 3600, &format!(r#"{{"id":"number {hour}"}}"#));
        for known in hour.saturating_sub(2)..=hour {
            let left = recent.left(&format!("number {known}"), millis(known));
            assert_eq!(left.map(|left| left.steady.as_secs()), Some(known * 3600));
        }
        has_wrapped |= recent.lock().texts.has_wrapped();
    }
    assert!(has_wrapped);
}

#[test]
fn a_body_that_is_not_text_may_carry_any_id() {
    let recent = RecentRequests::default();
    let request = recent.remember(&[b'"', 0xff, b'"'], about(1, 0, &CREATES));
    recent.leaves(request, at(3));
    send(&recent, 1, 4, r#"{"id":"b"}"#);
    assert_eq!(recent.left("a", millis(1)), Some(at(3)));
    assert_eq!(recent.left("b", millis(1)), None, "it may be either");
}

#[test]
fn an_id_of_two_requests_is_noticed() {
    let recent = RecentRequests::default();
    let is_named_twice = |signed_at| recent.is_named_twice("a", millis(signed_at));
    send(&recent, 1, 0, r#"{"id":"a"}"#);
    send(&recent, 2, 0, r#"{"id":"ab"}"#);
    assert!(!is_named_twice(1));
    send(&recent, 3, 1, r#"[{"id":"b"},{"id":"a"}]"#);
    assert!(is_named_twice(1) && is_named_twice(3));
    assert!(is_named_twice(9), "it may be either");
    // Minutes apart, their times distinguish them.
    send(&recent, 300_000, 300, r#"{"id":"c"}"#);
    send(&recent, 600_000, 600, r#"{"id":"c"}"#);
    send(&recent, 900_001, 901, r#"{"id":"c"}"#);
    let is_named_twice_of = |signed_at| recent.is_named_twice("c", millis(signed_at));
    assert!(is_named_twice_of(300_000) && is_named_twice_of(600_000) && !is_named_twice_of(900_001));
    send(&recent, 400_000, 902, r#"{"id":"a"}"#);
    assert!(is_named_twice(1) && !is_named_twice(400_000));
}

/// Two requests of an earlier run with one id: when they were signed, and made by the clock of the machine, in minutes.
#[test]
fn requests_of_an_earlier_run_are_apart_only_by_every_clock() {
    let apart = |times: [(u64, Option<u64>); 2]| {
        let recent = RecentRequests::default();
        for (number, (signed, made)) in (1..).zip(times) {
            let of_minute = |minute: u64| millis(60_000 * minute);
            let signed = SigningTimes { signed_at: of_minute(signed), made_at: made.map(of_minute) };
            let about = RequestFacts { signed, is_of_earlier_run: true, ..about(0, 0, &CREATES) };
            recent.remember_change(ChangeNumber(number), br#"{"id":"a"}"#, about, None);
        }
        times.map(|(signed, _)| !recent.is_named_twice("a", millis(60_000 * signed)))
    };
    assert_eq!(apart([(100, Some(100)), (160, Some(160))]), [true; 2]);
    assert_eq!(apart([(100, Some(100)), (106, Some(106))]), [true; 2]);
    assert_eq!(apart([(100, Some(100)), (104, Some(160))]), [false; 2], "the clock was set");
    assert_eq!(apart([(100, Some(100)), (160, Some(104))]), [false; 2], "an answer moved the clock of signatures");
    assert_eq!(apart([(160, Some(104)), (100, Some(100))]), [false; 2]);
    assert_eq!(
        apart([(160, Some(100)), (190, Some(160))]),
        [false; 2],
        "the second one was made at the time of the first"
    );
    assert_eq!(apart([(160, Some(100)), (130, Some(130))]), [true; 2], "its record fits neither");
    assert_eq!(apart([(100, None), (160, Some(160))]), [false; 2], "an earlier release did not store it");
    // One of this run, and one that its journal has.
    let recent = RecentRequests::default();
    let earlier = RequestFacts { is_of_earlier_run: true, ..about(0, 0, &CREATES) };
    recent.remember_change(ChangeNumber(1), br#"{"id":"a"}"#, earlier, None);
    prepare(&recent, 3_600_000, 60, r#"{"id":"a"}"#);
    assert!(recent.is_named_twice("a", millis(3_600_000)));
    // Two of this run, an hour apart: the signature of the first has the time of the second.
    let recent = RecentRequests::default();
    send(&recent, 3_600_000, 0, r#"{"id":"a"}"#);
    send(&recent, 7_200_000, 3_600, r#"{"id":"a"}"#);
    assert!(recent.is_named_twice("a", millis(3_600_000)) && recent.is_named_twice("a", millis(7_200_000)));
}

/// A record of a request that had no effect may be of another one that did.
#[test]
fn a_request_without_an_effect_has_another_beside_it() {
    let another = |others: &[(u64, bool)]| {
        let recent = RecentRequests::default();
        recent.void(send(&recent, 600_000, 600, r#"{"id":"a"}"#));
        for (second, is_void) in others {
            let other = send(&recent, 1_000 * second, *second, r#"{"id":"a"}"#);
            if *is_void {
                recent.void(other);
            }
        }
        send(&recent, 1, 600, r#"{"id":"b"}"#);
        recent.has_another("a", millis(600_000))
    };
    assert!(!another(&[]) && !another(&[(601, true)]) && !another(&[(901, false)]));
    assert!(another(&[(601, false)]) && another(&[(900, false)]) && another(&[(600, false)]));
    assert!(RecentRequests::default().has_another("a", millis(1)), "nothing is known of it");
    let recent = RecentRequests::default();
    send(&recent, 1, 0, r#"[{"id":"a"},{"id":"a"}]"#);
    assert!(recent.has_another("a", millis(1)), "the batch has it twice");
}

/// A request that is forgotten may have had the id of another one.
#[test]
fn an_id_may_be_that_of_a_forgotten_request() {
    let recent = RecentRequests::default();
    let facts = |signed_at| {
        let at = millis(signed_at);
        (recent.is_named_twice("a", at), recent.has_all_around(ChangeNumber(7), at))
    };
    let own = send(&recent, 7_200_000, 7_200, r#"{"id":"a"}"#);
    recent.is_change(own, ChangeNumber(7));
    assert_eq!(facts(7_200_000), (false, true));
    assert_eq!(facts(1), (true, false), "another one has the id");
    // The first one is forgotten, which was made minutes before.
    let recent = RecentRequests::default();
    let facts = |signed_at| {
        let at = millis(signed_at);
        (recent.is_named_twice("a", at), recent.has_all_around(ChangeNumber(7), at))
    };
    send(&recent, 6_900_000, 6_900, r#"{"id":"x"}"#);
    let own = send(&recent, 7_200_000, 7_200, r#"{"id":"a"}"#);
    recent.is_change(own, ChangeNumber(7));
    assert_eq!(facts(7_200_000), (false, true));
    send(&recent, 14_101_000, 14_101, r#"{"id":"y"}"#);
    assert_eq!(facts(7_200_000), (true, false));
    assert!(recent.has_contender(("a", Rival::Any), at(7_200), &Named::default()));
    // A later one has nothing to do with it.
    send(&recent, 14_101_000, 14_101, r#"{"id":"b"}"#);
    assert!(
        !recent.is_named_twice("b", millis(14_101_000))
            && !recent.has_contender(("b", Rival::Any), at(14_101), &Named::default())
    );
    // So has one that is not remembered itself, and was signed later.
    assert!(recent.is_named_twice("c", millis(7_200_000)) && !recent.is_named_twice("c", millis(7_200_001)));
    // The steady clock shows that they are close, although their signatures are hours apart.
    let recent = RecentRequests::default();
    send(&recent, 6_900_000, 6_900, r#"{"id":"x"}"#);
    let signed = SigningTimes { signed_at: millis(20_000_000), made_at: Some(millis(20_000_000)) };
    recent.remember(br#"{"id":"a"}"#, RequestFacts { signed, ..about(0, 7_200, &CREATES) });
    send(&recent, 21_000_000, 14_101, r#"{"id":"y"}"#);
    assert!(recent.is_named_twice("a", millis(20_000_000)));
    // What had no effect may be forgotten.
    let recent = RecentRequests::default();
    recent.void(send(&recent, 1, 0, r#"{"id":"a"}"#));
    send(&recent, 2, 7_201, "{}");
    assert!(!recent.is_named_twice("a", millis(1)));
}

#[test]
fn one_request_can_use_an_id_twice() {
    let recent = RecentRequests::default();
    send(&recent, 1, 0, r#"[{"id":"a"},{"id":"b"},{"id":"a"}]"#);
    assert!(recent.is_named_twice("a", millis(1)) && !recent.is_named_twice("b", millis(1)));
}

#[test]
fn an_unknown_signing_time_means_the_only_earlier_request() {
    let recent = RecentRequests::default();
    let is_named_twice = |signed_at| recent.is_named_twice("a", millis(signed_at));
    assert!(!is_named_twice(10_000), "an earlier run sent it");
    send(&recent, 10_000, 0, r#"{"id":"a"}"#);
    assert!(!is_named_twice(10_060) && !is_named_twice(8_000));
    assert!(is_named_twice(7_999), "what an earlier run sent is not this one");
    // The query may mean another request, which was dropped before it left.
    recent.void(prepare(&recent, 11_000, 1, r#"{"id":"a"}"#));
    assert!(is_named_twice(11_060) && is_named_twice(11_000));
    assert!(!is_named_twice(10_000), "the other had no effect");
}

#[test]
fn the_only_request_with_an_id_is_meant() {
    let recent = RecentRequests::default();
    let meant = |id, now| recent.meant(id, "mini.place", at(now));
    assert_eq!(meant("a", 0), Meant::Unclear, "none is remembered");
    let first = send(&recent, 1, 0, r#"{"id":"a","qty":"b"}"#);
    send(&recent, 2, 1, r#"{"amends":"a"}"#);
    send(&recent, 3, 2, r#"[{"id":"a"}]"#);
    assert_eq!(meant("a", 3), Meant::Signed(millis(1)));
    assert_eq!(recent.meant("a", "mini.amend", at(3)), Meant::Signed(millis(2)));
    assert_eq!(recent.meant("a", "mini.place-batch", at(3)), Meant::Signed(millis(3)));
    assert_eq!(meant("b", 3), Meant::Unclear, "it has the text, and not as its id");
    recent.void(first);
    assert_eq!(meant("a", 3), Meant::Void);
    recent.void(prepare(&recent, 4, 3, r#"{"id":"a"}"#));
    assert_eq!(meant("a", 3), Meant::Void, "neither had an effect");
    prepare(&recent, 5, 4, r#"{"id":"a"}"#);
    assert_eq!(meant("a", 4), Meant::Unclear, "it may be either");
    prepare(&recent, 6, 5, r#"{"id":"c"}"#);
    assert_eq!(meant("c", 5), Meant::Signed(millis(6)), "it may still leave");
}

#[test]
fn attempts_with_one_key_are_meant_as_one() {
    let recent = RecentRequests::default();
    let first = attempt(&recent, 1_000, 1, r#"{"id":"a"}"#);
    attempt(&recent, 9_000, 9, r#"{"id":"a"}"#);
    assert_eq!(recent.meant("a", "mini.place", at(9)), Meant::Signed(millis(1_000)));
    recent.void(first);
    assert_eq!(recent.meant("a", "mini.place", at(9)), Meant::Signed(millis(9_000)));
    attempt(&recent, 9_500, 9, r#"{"id":"a","qty":"2"}"#);
    assert_eq!(recent.meant("a", "mini.place", at(9)), Meant::Unclear);
}

/// The journal is read while the change of another task is stored, or after a call that was dropped meanwhile.
#[test]
fn a_change_whose_number_is_not_known_is_remembered_once() {
    let recent = RecentRequests::default();
    send(&recent, 1, 0, r#"{"id":"a","qty":1}"#);
    let given_up = prepare(&recent, 1, 0, r#"{"id":"b"}"#);
    let changes = [(7, r#"{"id":"b"}"#), (8, r#"{"qty":1,"id":"a"}"#), (9, r#"{"id":"c"}"#), (8, r#"{"id":"a"}"#)];
    for (number, text) in changes {
        let of_journal = RequestFacts { made: at(2), is_of_earlier_run: true, ..about(1, 0, &CREATES) };
        recent.remember_change(ChangeNumber(number), text.as_bytes(), of_journal, None);
    }
    let numbers: Vec<_> = recent.lock().requests.iter().map(|recent| recent.change).collect();
    assert_eq!(numbers, [8, 7, 9].map(|number| Some(ChangeNumber(number))));
    assert!(!recent.is_named_twice("a", millis(1)));
    recent.void(given_up);
    assert_eq!(recent.meant("b", "mini.place", at(2)), Meant::Void);
}

#[test]
fn a_request_that_may_be_forgotten_is_not_meant() {
    let recent = RecentRequests::default();
    let earlier = RequestFacts { is_of_earlier_run: true, ..about(1, 0, &CREATES) };
    recent.remember_change(ChangeNumber(1), br#"{"id":"a"}"#, earlier, None);
    assert_eq!(recent.meant("a", "mini.place", at(1)), Meant::Unclear, "an earlier run sent it");
    // A text without room drops one that is not old, and later ones drop what is.
    send(&recent, 2, 1, &"x".repeat(MAX_TEXT));
    send(&recent, 3, 2, r#"{"id":"b"}"#);
    assert_eq!(recent.meant("b", "mini.place", at(2)), Meant::Unclear);
    assert_eq!(recent.meant("b", "mini.place", at(7_202)), Meant::Signed(millis(3)), "the forgotten one is old");
}

#[test]
fn a_request_that_may_still_leave_counts() {
    let recent = RecentRequests::default();
    send(&recent, 1, 0, r#"{"id":"a"}"#);
    prepare(&recent, 2, 0, r#"{"id":"a"}"#);
    assert!(recent.is_named_twice("a", millis(1)) && recent.is_named_twice("a", millis(2)));
    assert!(recent.has_contender(("a", Rival::Any), at(0), &Named::default()));
}

#[test]
fn a_request_that_was_under_way_since_contends() {
    let recent = RecentRequests::default();
    let contends = |id| recent.has_contender((id, Rival::Any), at(500), &Named::default());
    let first = send(&recent, 1, 1, r#"{"amends":"a"}"#);
    send(&recent, 2, 500, r#"{"amends":"a"}"#);
    assert!(contends("a"), "its outcome is not known");
    assert!(!contends("b"));
    recent.settle(first, at(199));
    assert!(!contends("a"), "it had ended before");
    recent.settle(first, at(501));
    assert!(contends("a"), "it ended only after");
    recent.void(first);
    assert!(!contends("a"), "it had no effect");
    // The request that creates the order changes it too if it arrives late.
    send(&recent, 3, 3, r#"{"id":"a"}"#);
    assert!(contends("a"));
}

#[test]
fn a_request_contends_until_five_minutes_after_its_end() {
    let recent = RecentRequests::default();
    let first = send(&recent, 1, 100, r#"{"amends":"a"}"#);
    let contends = |left| recent.has_contender(("a", Rival::Any), at(left), &Named::default());
    recent.settle(first, at(101));
    assert!(contends(102) && contends(401) && !contends(402));
    recent.void(first);
    assert!(!contends(102), "it had no effect");
}

#[test]
fn a_request_that_gave_other_values_is_no_contender() {
    let record = Named::read(r#"{"id":"a","qty":"2","amount":"100","price":"50.0"}"#);
    for (body, contends) in [
        (r#"{"amends":"a","qty":"2","newPrice":"50"}"#, true),
        (r#"{"amends":"a","qty":2}"#, true),
        (r#"{"amends":"a","newPrice":50.00}"#, true),
        (r#"{"amends":"a"}"#, true),
        (r#"{"amends":"a","qty":"3","newPrice":"50"}"#, false),
        (r#"{"amends":"a","newPrice":51}"#, false),
        (r#"{"id":"a"}"#, true),
        (r#"{"id":"a","qty":"100"}"#, true),
        (r#"{"id":"a","qty":"3"}"#, false),
        (r#"{"id":"a","qty":"2","price":"51"}"#, false),
        (r#"[{"id":"b","qty":"2"},{"id":"a","qty":"3"}]"#, false),
        (r#"[{"id":"b","qty":"3"},{"id":"a","qty":"2"}]"#, true),
    ] {
        let recent = RecentRequests::default();
        send(&recent, 1, 100, body);
        assert_eq!(recent.has_contender(("a", Rival::Any), at(105), &record), contends, "{body}");
    }
}

#[test]
fn an_id_that_is_a_number_is_found() {
    let recent = RecentRequests::default();
    send(&recent, 1, 0, r#"{"id":17,"sizes":[1.5,-2]}"#);
    send(&recent, 2, 0, r#"{"id": 17}"#);
    assert!(recent.is_named_twice("17", millis(1)));
    assert!(!recent.is_named_twice("1", millis(1)));
    assert_eq!(recent.left("-2", millis(1)), Some(at(0)));
}

#[test]
fn two_changes_of_one_moment_contend() {
    let recent = RecentRequests::default();
    send(&recent, 1, 5, r#"{"amends":"a"}"#);
    assert!(!recent.has_contender(("a", Rival::Any), at(5), &Named::default()));
    send(&recent, 1, 5, r#"{"amends":"a"}"#);
    assert!(recent.has_contender(("a", Rival::Any), at(5), &Named::default()));
}

#[test]
fn two_requests_of_one_moment_are_distinguished() {
    let recent = RecentRequests::default();
    send(&recent, 1, 0, r#"{"id":"a"}"#);
    send(&recent, 1, 0, r#"{"id":"a"}"#);
    assert!(recent.is_named_twice("a", millis(1)));
}

#[test]
fn old_requests_are_forgotten_and_memory_is_bounded() {
    let recent = RecentRequests::default();
    send(&recent, 1, 0, r#"{"id":"a"}"#);
    send(&recent, 7_200_000, 7200, r#"{"id":"a"}"#);
    assert!(recent.is_named_twice("a", millis(7_200_009)));
    send(&recent, 7_201_000, 7201, "{}");
    assert!(!recent.is_named_twice("a", millis(7_200_009)));
    for index in 0..=MAX_REQUESTS as u64 {
        send(&recent, index, 7201, "{}");
    }
    assert_eq!(recent.lock().requests.len(), MAX_REQUESTS);
    let long = "x".repeat(MAX_TEXT / 3);
    let requests: Vec<_> = (0..4).map(|_| send(&recent, 4, 7202, &long)).collect();
    assert_eq!(recent.lock().requests.len(), 3);
    assert_eq!(recent.lock().texts.len(), 3 * long.len());
    recent.void(RequestNumber(0));
    recent.settle(requests[1], at(7203));
    let settled: Vec<_> = recent.lock().requests.iter().map(|recent| recent.settled).collect();
    assert_eq!(settled, [Some(at(7203)), None, None], "the first was dropped");
    send(&recent, 5, 7204, &"x".repeat(MAX_TEXT + 1));
    assert_eq!(recent.lock().requests.len(), 1);
}

#[test]
fn attempts_with_one_key_are_one_request() {
    let recent = RecentRequests::default();
    let first = attempt(&recent, 1_000, 1, r#"{"id":"a","qty":"1"}"#);
    assert_eq!(recent.attempts("a", millis(1_000)).map(|all| all.last), Some(millis(1_000)));
    attempt(&recent, 9_000, 9, r#"{"id":"a","qty":"1"}"#);
    let is_named_twice = |signed_at| recent.is_named_twice("a", millis(signed_at));
    assert!(!is_named_twice(1_000) && !is_named_twice(9_000) && !is_named_twice(9_500));
    assert!(
        !recent.has_contender(("a", Rival::Any), at(1), &Named::default())
            && !recent.has_contender(("a", Rival::Any), at(9), &Named::default())
    );
    let both = Attempted { first: (millis(1_000), Some(at(1))), last: millis(9_000) };
    assert_eq!([1_000, 9_000].map(|signed_at| recent.attempts("a", millis(signed_at))), [Some(both); 2]);
    recent.void(first);
    let second = Attempted { first: (millis(9_000), Some(at(9))), last: millis(9_000) };
    assert_eq!(recent.attempts("a", millis(9_000)), Some(second), "the first had no effect");
}

#[test]
fn another_request_with_the_key_is_a_rival() {
    let recent = RecentRequests::default();
    attempt(&recent, 1_000, 1, r#"{"id":"a","qty":"1"}"#);
    attempt(&recent, 9_000, 9, r#"{"id":"a","qty":"2"}"#);
    let is_named_twice = |signed_at| recent.is_named_twice("a", millis(signed_at));
    assert!(is_named_twice(1_000) && is_named_twice(9_000) && is_named_twice(9_500));
    assert!(
        recent.has_contender(("a", Rival::Any), at(1), &Named::default())
            && recent.has_contender(("a", Rival::Any), at(9), &Named::default())
    );
}

#[test]
fn a_key_that_may_be_forgotten_makes_two_requests() {
    let recent = RecentRequests::default();
    attempt(&recent, 1_000, 1, r#"{"id":"a"}"#);
    attempt(&recent, 61_000, 61, r#"{"id":"a"}"#);
    assert!(
        recent.is_named_twice("a", millis(1_000)) && recent.has_contender(("a", Rival::Any), at(61), &Named::default())
    );
    // Without a key, a repeat is another request.
    send(&recent, 1_000, 1, r#"{"id":"b"}"#);
    send(&recent, 9_000, 9, r#"{"id":"b"}"#);
    assert!(recent.is_named_twice("b", millis(1_000)) && recent.attempts("b", millis(1_000)).is_none());
}

#[test]
fn an_id_counts_as_a_whole_string() {
    let times_of = |body: &[u8], id: &str| {
        let recent = RecentRequests::default();
        recent.remember(body, about(0, 0, &CREATES));
        let recent = recent.hashed();
        recent.that_carry(id, &|_| true).iter().map(|one| one.times).sum::<usize>()
    };
    for (body, times) in [
        ("", 0),
        ("a", 0),
        (r#""a"#, 0),
        (r#"a""#, 0),
        (r#""a""#, 1),
        (r#"{"a":"a","b":"ab"}"#, 2),
        (r#"["a","a"]"#, 2),
        (r#"["b\"","a"]"#, 1),
        (r#"["\u0061"]"#, 1),
    ] {
        assert_eq!(times_of(body.as_bytes(), "a"), times, "{body}");
    }
    assert_eq!(times_of(br#"{"id":"a\"b"}"#, r#"a"b"#), 1);
    assert_eq!(times_of(b"\xff", "a"), 1, "a body that is not UTF-8 may carry any id");
}
