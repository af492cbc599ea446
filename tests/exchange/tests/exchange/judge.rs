//! Programs on trial, as a user starts them.

use std::process::{Command, Output};

use serde_json::Value;

const BOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/clients/naive.py");

/// Returns the exit status, the output and the errors of `judge` with these options and this program.
fn judged(options: &[&str], program: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tradeapi-exchange"));
    let Output { status, stdout, stderr } =
        command.arg("judge").args(options).arg("--").args(program).output().unwrap();
    (status.code(), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
}

/// Returns the verdict on a program, as JSON.
fn verdict(options: &[&str], program: &[&str]) -> (Option<i32>, Value) {
    let (status, out, error) = judged(&[&["--json"], options].concat(), program);
    (status, serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out}\n{error}")))
}

/// Returns the source of the bot with other texts, each of which it has.
fn bot(changes: &[(&str, &str)]) -> String {
    let source = std::fs::read_to_string(BOT).unwrap();
    changes.iter().fold(source, |source, (from, to)| {
        assert!(source.contains(from), "{from}");
        source.replace(from, to)
    })
}

fn kinds(verdict: &Value) -> Vec<&str> {
    let mut kinds: Vec<&str> =
        verdict["findings"].as_array().unwrap().iter().map(|one| one["kind"].as_str().unwrap()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

#[test]
fn a_bot_that_repeats_a_lost_order_is_found_and_passes_where_nothing_is_lost() {
    let (status, verdict) = verdict(&["--level", "lost", "--seed", "8", "--seconds", "300"], &["python3", BOT]);
    let found = kinds(&verdict);
    assert_eq!(status, Some(1), "{verdict}");
    for kind in ["twice", "unsafe-retry", "left-open", "false-belief"] {
        assert!(found.contains(&kind), "{kind}: {verdict}");
    }
    let twice = verdict["findings"].as_array().unwrap().iter().find(|one| one["kind"] == "twice").unwrap();
    assert!(twice["requests"].as_array().unwrap().len() == 2 && twice["right"].as_str().unwrap().contains("absent"));
    let left = verdict["findings"].as_array().unwrap().iter().find(|one| one["kind"] == "left-open").unwrap();
    let right = left["right"].as_str().unwrap();
    assert!(right.starts_with("query ") && right.ends_with("until nothing is left"), "its answer was lost: {right}");

    let (status, verdict) = self::verdict(&["--level", "none", "--seconds", "300"], &["python3", BOT]);
    assert_eq!((status, kinds(&verdict), &verdict["requests"]), (Some(0), Vec::new(), &16.into()), "{verdict}");
}

/// The second of two orders that are alike is a repeat or not, by what is printed about the first one.
#[test]
fn a_silent_program_is_told_how_it_means_orders_that_are_alike() {
    let prints = "print(json.dumps({\"id\": order, \"change\": change, \"outcome\": outcome}), flush=True)";
    let options = ["--level", "lost", "--seed", "8", "--seconds", "300"];
    let (status, silent, _) = judged(&options, &["python3", "-c", &bot(&[(prints, "pass")])]);
    assert!(status == Some(1) && silent.contains("\nA program that means each of several orders"), "{silent}");
    let unsure = bot(&[("believe(order, \"place\", \"not_done\")", "believe(order, \"place\", \"unknown\")")]);
    let (_, verdict) = verdict(&options, &["python3", "-c", &unsure]);
    assert!(!kinds(&verdict).contains(&"twice") && !kinds(&verdict).contains(&"unsafe-retry"), "{verdict}");
}

#[test]
fn a_seed_repeats_a_run_and_the_shortest_one_that_fails_is_found() {
    let options = ["--level", "lost", "--seconds", "300", "--seed", "3"];
    // A machine that stalls for some seconds must not change what the bot does.
    let patient = bot(&[("timeout=2", "timeout=8")]);
    let program = ["python3", "-c", &patient];
    let [(_, one), (_, other)] = [(); 2].map(|()| verdict(&options, &program));
    assert_eq!((&one["faults"], kinds(&one)), (&other["faults"], kinds(&other)));
    let (status, out, error) = judged(&[&options[..], &["--minimize"]].concat(), &program);
    assert!(status == Some(1) && error.contains("run 1: "), "{out}\n{error}");
    let again = out.lines().find_map(|line| line.strip_prefix("Again: tradeapi-exchange judge ")).unwrap();
    assert_eq!(again.matches("--only").count(), 1, "one lost answer is enough: {out}");
    assert!(again.contains("--requests"), "{again}");
    assert!(
        out.contains("\n1 finding in ") && !out.contains("left-open"),
        "what the judge cuts off cannot be tidied: {out}"
    );
    assert!(out.contains("of its answer: The connection is ") || out.contains("of its answer: No answer"), "{out}");
}

#[test]
fn each_kind_of_mistake_is_found_where_it_is_made() {
    let at_once = "range(8):";
    let at_once = [
        (at_once, "[]:\n    pass\nfrom concurrent.futures import ThreadPoolExecutor\nfor number in [0]:"),
        (
            "    order = place(40_000 + number)",
            "    with ThreadPoolExecutor(60) as pool: list(pool.map(place, range(40_000, 40_060)))\n    order = ''",
        ),
    ];
    for (changes, kind) in [
        (&[(".hex", ".urn")][..], "forbidden"),
        (&[("time.time_ns()", "(time.time_ns() - 60 * 10**9)")], "out-of-time"),
        (&[("cancel-order", "cancel-nothing")], "left-open"),
        (&at_once, "beyond-limit"),
    ] {
        let (status, verdict) = verdict(&["--level", "none", "--seconds", "300"], &["python3", "-c", &bot(changes)]);
        assert!(status == Some(1) && kinds(&verdict).contains(&kind), "{kind}: {verdict}");
    }
}

/// An order that is left is not shown by a run that ends before the program cancels it.
#[test]
fn a_run_is_not_cut_before_what_it_leaves() {
    let program = bot(&[("cancel-order", "cancel-nothing"), ("range(8)", "range(2)")]);
    let options = ["--level", "none", "--seconds", "300", "--minimize"];
    let (status, out, _) = judged(&options, &["python3", "-c", &program]);
    assert!(status == Some(1) && out.contains("left-open") && !out.contains("--requests"), "{out}");
}

#[test]
fn an_item_of_a_batch_that_failed_is_in_its_answer() {
    let list = r#"[{"category": "USDT-FUTURES", "symbol": "BTCUSDT", "side": "buy", "orderType": "limit", "qty": qty,
        "price": "40000", "clientOid": uuid.uuid4().hex} for qty in ("0.01", "0.0000001")]"#;
    let batch = bot(&[
        ("json.dumps(parameters)", "json.dumps(parameters.get('list', parameters))"),
        (
            "for number in range(8):",
            &format!(
                "items = {list}\ncall('/api/v3/trade/place-batch', list=items)\nfor item in items: believe(item['clientOid'], 'place', 'done')\nfor number in []:"
            ),
        ),
    ]);
    let options = ["--level", "none", "--seconds", "300", "--allow", "left-open"];
    let (status, verdict) = verdict(&options, &["python3", "-c", &batch]);
    let found = verdict["findings"].as_array().unwrap().iter().find(|one| one["kind"] == "false-belief").unwrap();
    assert_eq!(
        (status, &found["right"]),
        (Some(1), &"read the whole answer to request 1: it says so".into()),
        "{verdict}"
    );
}

/// Returns the findings of a kind where nothing goes wrong, each with the reason and what would be right.
fn found(changes: &[(&str, &str)], kind: &str) -> Vec<[String; 2]> {
    let (_, verdict) = verdict(&["--level", "none", "--seconds", "300"], &["python3", "-c", &bot(changes)]);
    let of_kind = verdict["findings"].as_array().unwrap().iter().filter(|one| one["kind"] == kind);
    of_kind.map(|one| ["why", "right"].map(|name| one[name].as_str().unwrap().to_owned())).collect()
}

#[test]
fn what_an_answer_says_stands_in_the_report() {
    let believes_all = (
        "    except Exception:\n        pass",
        "    except Exception:\n        pass\n    believe(order, 'cancel', 'done')",
    );
    let wrong_id = [("clientOid=order)", "orderId=order)"), believes_all, ("range(8)", "range(1)")];
    let believed = found(&wrong_id, "false-belief");
    assert!(believed.len() == 1 && believed[0][1].contains("answer to request 2: it says so (25204: "), "{believed:?}");
    let left = found(&wrong_id, "left-open");
    assert!(left.len() == 1 && left[0][0].contains("; request 2 was to cancel it (25204: "), "{left:?}");
    let none = [("call(\"/api/v3/trade/cancel-order\", ", "dict("), ("range(8)", "range(1)")];
    let left = found(&none, "left-open");
    assert!(left.len() == 1 && left[0][0].ends_with("; no request cancels it by its id"), "{left:?}");
    let amends = [
        ("\"limit\"", "\"market\""),
        ("                price=str(price),\n", ""),
        (
            "cancel-order\", category=\"USDT-FUTURES\", ",
            "modify-order\", category=\"USDT-FUTURES\", symbol=\"BTCUSDT\", qty=\"0.02\", ",
        ),
        ("    except Exception:\n        pass", "    except Exception:\n        believe(order, 'amend', 'done')"),
        ("range(8)", "range(1)"),
    ];
    let believed = found(&amends, "false-belief");
    assert!(believed.len() == 1 && believed[0][1].contains("(45134: "), "{believed:?}");
    let one_id = [("uuid.uuid4().hex", "'bot-1'"), ("range(8)", "range(2)"), ("range(5)", "range(1)")];
    let believed = found(&one_id, "false-belief");
    assert!(believed.len() == 1 && believed[0][1].ends_with("requests 1 and 3 have the same"), "{believed:?}");
    // The id of the first order is the beginning of the other's.
    let longer =
        [("uuid.uuid4().hex", "'bot-1' + '0' * number"), ("range(8)", "range(2)"), ("\"done\")", "\"not_done\")")];
    let believed = found(&longer, "false-belief");
    assert!(believed.len() == 2 && believed.iter().all(|one| one[1].contains("it says so")), "{believed:?}");
}

/// Nobody checks the signature of a public request, and a program learns the time by one.
#[test]
fn the_time_can_be_read_with_a_wrong_clock() {
    let time = "urllib.request.Request(URL + '/api/v3/public/time', None, headers)";
    let reads = [
        ("urllib.request.Request(URL + path, body.encode(), headers)", time),
        ("time.time_ns()", "(time.time_ns() - 60 * 10**9)"),
        ("range(8)", "range(1)"),
    ];
    assert_eq!(found(&reads, "out-of-time"), Vec::<[String; 2]>::new());
}

#[test]
fn a_quantity_that_was_not_filled_is_a_false_belief() {
    let says = |filled: &str| {
        let line = format!(
            "print(json.dumps({{'id': order, 'change': 'place', 'outcome': 'done', 'filled': '{filled}'}}), flush=True)"
        );
        let market =
            [("\"limit\"", "\"market\""), ("                price=str(price),\n", ""), ("range(8)", "range(1)")];
        found(&[&market[..], &[("believe(order, \"place\", \"done\")", &line)]].concat(), "false-belief")
    };
    assert_eq!(says("0.010"), Vec::<[String; 2]>::new());
    let wrong = says("0.004");
    assert!(wrong.len() == 1 && wrong[0][0].starts_with("the program says that 0.004 of "), "{wrong:?}");
    assert!(wrong[0][0].ends_with(" was filled, and it was 0.010"), "{wrong:?}");
}

#[test]
fn a_position_is_left_by_its_last_order() {
    for (range, last, of) in [("range(1)", 1, ""), ("range(8)", 15, ", of 8 orders, the last one here")] {
        let market =
            bot(&[("\"limit\"", "\"market\""), ("                price=str(price),\n", ""), ("range(8)", range)]);
        let (status, verdict) = verdict(&["--level", "none", "--seconds", "300"], &["python3", "-c", &market]);
        let left = verdict["findings"].as_array().unwrap().iter().find(|one| one["kind"] == "left-open").unwrap();
        assert_eq!((status, &left["requests"]), (Some(1), &serde_json::json!([last])), "{verdict}");
        assert!(left["why"].as_str().unwrap().ends_with(&format!(" BTCUSDT{of}")), "{left}");
    }
}

#[test]
fn an_answer_that_nobody_waits_for_is_found_and_a_program_is_ended_in_time() {
    let once = bot(&[("range(5)", "range(1)"), ("    believe(order, \"place\", \"not_done\")", "    pass")]);
    let (status, found) = verdict(&["--level", "slow", "--seconds", "300"], &["python3", "-c", &once]);
    assert!(status == Some(1) && kinds(&found).contains(&"unread"), "{found}");

    let (status, found) = verdict(&["--seconds", "1", "--level", "none"], &["sh", "-c", "sleep 1000 & sleep 1000"]);
    assert!(status == Some(0) && found["ended"] == "was ended after 1 s", "{found}");
}

#[test]
fn a_program_that_is_ended_before_it_cancels_is_told_how_it_gets_more_time() {
    let placed = "    order = place(40_000 + number)\n";
    let waits = bot(&[(placed, &format!("{placed}    time.sleep(1000)\n"))]);
    let (status, out, _) = judged(&["--seconds", "8", "--level", "none"], &["python3", "-c", &waits]);
    assert!(status == Some(1) && out.contains("1 finding in 1 request,"), "{out}");
    assert!(out.contains("was ended after 8 s.\nIt might have cancelled what is left open"), "{out}");
}

#[test]
fn addresses_and_keys_have_the_names_and_forms_that_a_program_wants() {
    let folder = tempfile::tempdir().unwrap();
    let (form, file) = (folder.path().join("form"), folder.path().join("config.json"));
    std::fs::write(&form, r#"{"where": "{host}:{port}", "key": "{key}"}"#).unwrap();
    let option = format!("{}={}", file.display(), form.display());
    let script = format!(r#"echo "$HOST_AND_PORT $KEY"; cat {}; test -z "$TRADEAPI_URL""#, file.display());
    let options = ["--env", "HOST_AND_PORT={host}:{port}", "--env", "KEY={key}", "--file", &option, "--level", "none"];
    let (status, out, shown) = judged(&options, &["sh", "-c", &script]);
    assert!(status == Some(0) && out.contains("with status 0"), "{out}\n{shown}");
    let again =
        format!("judge --env 'HOST_AND_PORT={{host}}:{{port}}' --env 'KEY={{key}}' --file {option} --seconds 60 ");
    assert!(out.contains(&again), "{out}");
    let (first, content) = shown.split_once('\n').unwrap();
    let (place, key) = first.split_once(' ').unwrap();
    let content: Value = serde_json::from_str(content).unwrap();
    assert!(place.starts_with("127.0.0.1:") && content["where"] == place && content["key"] == key, "{shown}");
    assert!(!file.exists(), "the file is removed");
}

#[test]
fn a_program_that_cannot_be_judged_has_a_status_of_its_own() {
    for (options, program, word) in [
        (&[][..], "no-such-program-anywhere", "cannot start"),
        (&["--env", "URL={ulr}"], "true", "{ulr}"),
        (&["--level", "some"], "true", "whole"),
        (&["--file", "a"], "true", "FILE=FORM"),
        (&["--allow", "all"], "true", "left-open"),
    ] {
        let (status, _, error) = judged(options, &[program]);
        assert!(status == Some(2) && error.contains(word), "{options:?}: {status:?} {error}");
    }
}
