//! Arguments that the parser takes and refuses: a variable without a value never makes another request.

use std::collections::BTreeSet;
use std::net::TcpListener;

use clap::Command;
use serde_json::json;
use tempfile::TempDir;

use crate::fixture::{Local, command, order, ran, run, write_profile};

/// Lists each command that does something, with the names that lead to it.
fn leaves(line: &Command, names: &[String], found: &mut Vec<(Vec<String>, Command)>) {
    let names = [names, &[line.get_name().to_owned()]].concat();
    if line.get_subcommands().next().is_none() {
        found.push((names, line.clone()));
        return;
    }
    line.get_subcommands().for_each(|command| leaves(command, &names, found));
}

/// The flags that an amendment keeps if they are empty after `=`.
const KEEP: [&str; 7] = [
    "new-preset-stop-loss-price",
    "new-preset-stop-surplus-price",
    "price",
    "shelf",
    "stop-loss",
    "take-profit",
    "weight",
];

/// The case flag-takes-the-next-option, for every option of every command.
#[test]
fn no_option_takes_the_next_one_or_an_empty_variable_for_its_value() {
    let programs = [
        &tradeapi::cli::PROGRAM,
        &tradeapi_cli_tests::kraken::cli::PROGRAM,
        &tradeapi_cli_tests::library::cli::PROGRAM,
        &tradeapi_cli_tests::obstacles::cli::PROGRAM,
    ];
    let (mut tried, mut kept) = (0, BTreeSet::new());
    for program in programs {
        let mut line = tradeapi_cli::command_line(program);
        line.build();
        let mut commands = Vec::new();
        leaves(&line, &[], &mut commands);
        for (names, command) in &commands {
            let refusal = |more: &[&str]| {
                let arguments = names.last().map(String::as_str).into_iter().chain(more.iter().copied());
                command.clone().try_get_matches_from(arguments).err().map(|why| why.to_string())
            };
            for option in command.get_arguments().filter(|one| one.get_action().takes_values()) {
                let Some(long) = option.get_long() else {
                    assert!(refusal(&[""]).is_some(), "{names:?} takes an empty {}", option.get_id());
                    continue;
                };
                let flag = format!("--{long}");
                for more in [&[flag.as_str(), "--local"][..], &[&flag, "--format=json"], &[&flag]] {
                    let why = refusal(more).unwrap_or_else(|| panic!("{names:?} takes {more:?}"));
                    assert!(why.contains(&flag), "{names:?} {more:?}: {why}");
                }
                for blank in ["", " "] {
                    if refusal(&[&format!("{flag}={blank}")]).is_none() {
                        kept.insert(long.to_owned());
                    }
                }
                tried += 1;
            }
        }
    }
    assert!(tried > 500, "{tried}");
    assert_eq!(kept, KEEP.map(str::to_owned).into());
}

/// The same by the program, whose exchange would have the order.
#[test]
fn an_empty_variable_in_any_place_sends_nothing() {
    let local = Local::start();
    let mut line = tradeapi_cli::command_line(&tradeapi::cli::PROGRAM);
    line.build();
    let place = line.find_subcommand("unified").unwrap().find_subcommand("place-order").unwrap();
    let options = place.get_arguments().filter(|one| one.get_action().takes_values()).filter_map(|one| one.get_long());
    let order = order("a");
    let mut tried = 0;
    for option in options {
        let flag = format!("--{option}");
        // The order without this option, so that it is not there twice.
        let rest: Vec<&str> = order.chunks(2).filter(|pair| pair[0] != flag).flatten().copied().collect();
        for empty in [&[flag.as_str(), "--dry-run"][..], &[&flag, "", "--dry-run"], &[&flag, "\t"]] {
            let refused = local.run(&[&["unified", "place-order"][..], &rest, empty].concat()).ended(2);
            assert!((refused.out + &refused.err).contains(&flag), "{empty:?}");
            tried += 1;
        }
    }
    assert!(tried > 60, "{tried}");
    // An empty variable before the name of the command.
    local.run(&[&["", "unified", "place-order"][..], &order].concat()).ended(2);
    local.run(&[&["--profile", "unified", "place-order"][..], &order].concat()).ended(2);
    local.run(&["--columns", "flatten"]).ended(2);
    local.run(&["flatten", ""]).ended(2);
    assert_eq!(local.open(), 0);
    local.place("b").ended(0);
    let keep = ["unified", "modify-order", "--client-oid", "b", "--price", "60001", "--take-profit"];
    local.run(&[&keep[..], &[""]].concat()).ended(2);
    local.run(&[&keep[..6], &["--qty", "0.01", "--take-profit="]].concat()).ended(0);
}

#[test]
fn numbers_below_zero_are_values_that_warn_and_other_texts_follow_an_equals_sign() {
    let folder = TempDir::new().unwrap();
    let show = |more: &[&str]| {
        let place = ["unified", "place-order", "--dry-run", "--category", "USDT-FUTURES", "--symbol", "BTCUSDT"];
        let rest = ["--side", "buy", "--order-type", "market"];
        run(folder.path(), &[&place[..], &rest, more].concat(), "")
    };
    for number in ["-0.01", "-.5", "-1e-7", "-5"] {
        let shown = show(&["--qty", number]);
        assert!(!shown.out.contains("unexpected argument"), "{shown:?}");
        assert!(shown.err.starts_with(&format!("note: qty is negative: {number}\n")), "{shown:?}");
    }
    assert_eq!(show(&["--qty", "0.01"]).ended(0).err, "");
    let with_hyphen = show(&["--qty", "0.01", "--client-oid=--dry-run"]).ended(0).line();
    assert!(with_hyphen["requests"][0]["body"].as_str().unwrap().contains(r#""clientOid":"--dry-run""#));
    show(&["--qty", "0.01", "--client-oid", "-x"]).ended(2);
}

/// Options of all commands stand anywhere, those of operations after the name of one.
#[test]
fn an_option_of_operations_before_their_names_is_refused_with_its_place() {
    let folder = TempDir::new().unwrap();
    for (option, value) in [("--dry-run", None), ("--json", Some("orders.json"))] {
        let before: Vec<&str> = [option].into_iter().chain(value).chain(["unified", "place-order"]).collect();
        let refused = run(folder.path(), &before, "").ended(2).line();
        let advice = format!("{option} is an option of each operation: put it after the name of one");
        assert!(refused["error"].as_str().unwrap().contains(&advice), "{refused}");
        let unknown = run(folder.path(), &["unified", "place-order", &format!("{option}s")], "").ended(2).line();
        assert!(!unknown["error"].as_str().unwrap().contains("of each operation"), "{unknown}");
    }
}

/// The case wrong-argument-is-not-json.
#[test]
fn what_the_parser_refuses_is_a_line_of_json_too() {
    let folder = TempDir::new().unwrap();
    let wrong: [&[&str]; 7] = [
        &["unified", "place-order", "--side", "hold"],
        &["unified", "place-order", "--no-such-flag"],
        &["unified", "no-such-command"],
        &["unified"],
        &["--format", "yaml", "orders"],
        &["orders", "--first", "none"],
        &[],
    ];
    for arguments in wrong {
        for format in [&["--format", "json"][..], &[]] {
            if arguments.contains(&"--format") && !format.is_empty() {
                continue;
            }
            let refused = run(folder.path(), &[format, arguments].concat(), "").ended(2);
            assert!(refused.err.is_empty(), "{arguments:?}: {refused:?}");
            let line = refused.line();
            assert_eq!(line["outcome"], "refused", "{arguments:?}");
            assert!(!line["error"].as_str().unwrap().is_empty(), "{arguments:?}: {line}");
        }
        if arguments.contains(&"--format") {
            continue;
        }
        let people = run(folder.path(), &[&["--format=table"], arguments].concat(), "").ended(2);
        assert!(people.out.is_empty() && !people.err.is_empty(), "{arguments:?}: {people:?}");
    }
    for text in [&["--help"][..], &["--version"], &["--format", "json", "unified", "place-order", "--help"]] {
        let shown = run(folder.path(), text, "").ended(0);
        assert!(!shown.out.starts_with('{') && shown.err.is_empty(), "{shown:?}");
    }
}

/// `USDT` is not a misspelt `USDC-FUTURES`.
#[test]
fn no_other_market_is_suggested() {
    let folder = TempDir::new().unwrap();
    for format in ["table", "json"] {
        let wrong = ["--format", format, "unified", "place-order", "--category", "USDT"];
        let refused = run(folder.path(), &wrong, "").ended(2);
        let text = refused.out + &refused.err;
        assert!(text.contains("USDT-FUTURES") && !text.contains("similar"), "{text}");
    }
}

/// Whatever widens a change, or decides where it goes, is refused if it is empty, blank or there twice.
#[test]
fn whatever_widens_a_change_is_refused_if_it_is_empty_blank_or_there_twice() {
    let local = Local::start();
    for id in ["a", "b"] {
        local.place(id).ended(0);
    }
    let file = |name: &str, text: &str| {
        let path = local.profiles.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let (empty, blank) = (file("empty.json", ""), file("blank.json", " \n"));
    let cancel = ["unified", "cancel-symbol-order", "--category", "USDT-FUTURES"];
    let close = ["classic", "close-positions", "--product-type", "USDT-FUTURES"];
    let symbol = |value: &str| format!(r#"{{"symbol":{value}}}"#);
    let none: &[&str] = &[];
    // The command, what follows it, its input, and a part of the refusal.
    let table: [(&[&str], &[&str], String, &str); 17] = [
        (&cancel, &["--json", "-"], String::new(), "standard input is empty"),
        (&cancel, &["--json", "-"], " \n\t".to_owned(), "standard input is empty"),
        (&cancel, &["--json", "-"], "\u{feff}".to_owned(), "standard input is empty"),
        (&cancel, &["--json", &empty], String::new(), "empty.json is empty"),
        (&cancel, &["--json", &blank], String::new(), "blank.json is empty"),
        (&cancel, &["--symbol", ""], String::new(), "--symbol is empty"),
        (&cancel, &["--symbol="], String::new(), "--symbol"),
        (&cancel, &["--symbol= "], String::new(), "--symbol"),
        (&cancel, &["--symbol", "BTCUSDT", "--symbol", "ETHUSDT"], String::new(), "multiple times"),
        (&cancel, &["--json", "-"], symbol("null"), "symbol: null is not a value"),
        (&cancel, &["--json", "-"], symbol(r#""""#), "symbol: an empty text is not a value"),
        (&cancel, &["--json", "-"], symbol(r#"" ""#), "something besides blanks"),
        (&cancel, &["--json", "-"], r#"{"symbol":"BTCUSDT","symbol":"ETHUSDT"}"#.to_owned(), "one value is needed"),
        (&close, &["--hold-side="], String::new(), "--hold-side"),
        (&close, &["--json", "-"], r#"{"holdSide":""}"#.to_owned(), "holdSide: an empty text is not a value"),
        (&["unified", "cancel-batch"], &["--json", "-"], String::new(), "standard input is empty"),
        (&["unified", "cancel-batch"], none, String::new(), "min-items"),
    ];
    for (command, more, input, why) in table {
        let refused = local.run_with(&[command, more].concat(), &input).ended(2).line();
        assert!(refused["error"].as_str().unwrap().contains(why), "{more:?} {input:?}: {refused}");
    }
    assert_eq!(local.open(), 2);
    // The braces state that there are no parameters.
    local.run_with(&[&cancel[..], &["--json", "-"]].concat(), "{}").ended(0);
    assert_eq!(local.open(), 0);
}

/// Where a request goes is said once.
#[test]
fn an_address_a_key_or_a_header_is_stated_once_and_not_left_out_in_silence() {
    let local = Local::start();
    let keys = local.exchange.keys();
    let folder = local.profiles.path();
    let desk = folder.join("desk.env");
    let with_line = |line: &str| {
        write_profile(folder, "desk", &local.url, [&keys.key, &keys.secret, &keys.passphrase]);
        let text = std::fs::read_to_string(&desk).unwrap();
        std::fs::write(&desk, text + line).unwrap();
    };
    let place = [&["--profile", "desk", "unified", "place-order"][..], &order("a")].concat();
    for line in ["TRADEAPI_URL=http://127.0.0.1:1\n", "export TRADEAPI_KEY=\n", "TRADEAPI_SECRET=x"] {
        with_line(line);
        let refused = run(folder, &place, "").ended(2).line();
        let error = refused["error"].as_str().unwrap();
        assert!(error.contains("line 5 sets TRADEAPI_") && error.contains("again"), "{line}: {error}");
    }
    for (line, why) in [
        ("TRADEAPI_HEADERS=paptrading=1,paptrading=0", "the header \"paptrading\" is set twice"),
        ("TRADEAPI_HEADERS=paptrading=1,", "is not NAME=VALUE"),
        ("TRADEAPI_HEADERS=paptrading= ", "is not NAME=VALUE"),
        ("TRADEAPI_HEADERS=", "the variable TRADEAPI_HEADERS is empty"),
    ] {
        with_line(line);
        let refused = run(folder, &place, "").ended(2).line();
        assert!(refused["error"].as_str().unwrap().contains(why), "{line}: {refused}");
    }
    with_line("");
    for (headers, why) in [
        (&["--header", "paptrading=1", "--header", "PAPTRADING=0"][..], "is set twice"),
        (&["--header", "paptrading="], "is not NAME=VALUE"),
        (&["--header", "=1"], "is not NAME=VALUE"),
    ] {
        let refused = run(folder, &[headers, &place].concat(), "").ended(2).line();
        assert!(refused["error"].as_str().unwrap().contains(why), "{headers:?}: {refused}");
    }
    // The demo market of the environment must not become the real one of the profile.
    let beside =
        |command: &mut std::process::Command| ran(command.env("TRADEAPI_HEADERS", "paptrading=1").args(&place), "");
    let refused = beside(&mut command(folder)).ended(2).line();
    assert!(refused["error"].as_str().unwrap().contains("does not apply beside a profile"), "{refused}");
    // A variable that was to choose the market or the profile, and has no value.
    for (name, value) in [("TRADEAPI_HEADERS", ""), ("TRADEAPI_HEADERS", " "), ("TRADEAPI_PROFILES", "")] {
        let mut empty = command(folder);
        let by = if name == "TRADEAPI_PROFILES" { &["--local"][..] } else { &[] };
        for (part, value) in
            [("URL", &local.url), ("KEY", &keys.key), ("SECRET", &keys.secret), ("PASSPHRASE", &keys.passphrase)]
        {
            empty.env(format!("TRADEAPI_{part}"), value);
        }
        empty.env("HOME", folder).env(name, value).args(by).args(["unified", "place-order"]).args(order("a"));
        let refused = ran(&mut empty, "").ended(2).line();
        assert!(refused["error"].as_str().unwrap().contains(&format!("{name} is empty")), "{refused}");
    }
    assert_eq!(local.open(), 0);
    with_line("TRADEAPI_HEADERS=paptrading=0\n");
    beside(&mut command(folder)).ended(0);
    assert_eq!(local.open(), 1);
}

#[test]
fn a_dry_run_shows_where_the_request_goes_without_secrets() {
    let folder = TempDir::new().unwrap();
    write_profile(folder.path(), "desk", "https://api.example.com", ["k-canary", "s-canary", "p-canary"]);
    let desk = folder.path().join("desk.env");
    let lines = std::fs::read_to_string(&desk).unwrap();
    std::fs::write(&desk, format!("{lines}TRADEAPI_HEADERS=paptrading=1\n")).unwrap();
    for (format, address) in
        [("json", r#""address":"https://api.example.com""#), ("table", "To https://api.example.com:")]
    {
        let place = ["--profile", "desk", "--format", format, "unified", "place-order", "--dry-run"];
        let shown = run(folder.path(), &[&place[..], &order("a")].concat(), "").ended(0).out;
        assert!(shown.contains("paptrading") && shown.contains(address) && !shown.contains("canary"), "{shown}");
        let wins = [&["--header", "paptrading=0"], &place[..], &order("a")].concat();
        let shown = run(folder.path(), &wins, "").ended(0).out;
        assert!(
            shown.contains("paptrading") && !shown.contains(r#""paptrading":"1""#) && !shown.contains("paptrading: 1")
        );
    }
    let mut from_environment = command(folder.path());
    from_environment.env("TRADEAPI_HEADERS", "paptrading=1").args(["unified", "place-order", "--dry-run"]);
    let shown = ran(from_environment.args(order("a")), "").ended(0).line();
    assert_eq!(shown["requests"][0]["headers"]["paptrading"], "1", "{shown}");
}

/// The functions of a dry run take neither a client nor a transport; this listens at the address of the profile
/// nevertheless.
#[test]
fn no_dry_run_connects() {
    let folder = TempDir::new().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    write_profile(folder.path(), "local", &format!("http://{}", listener.local_addr().unwrap()), ["k", "s", "p"]);
    let mut shown = 0;
    for line in run(folder.path(), &["catalogue"], "").lines() {
        let [family, name] = [0, 1].map(|at| line["command"][at].as_str().unwrap());
        let array = line["parameters"].as_array().unwrap().iter().any(|one| one["name"] == "");
        let input = if array { "[{}]" } else { "{}" };
        let ran = run(folder.path(), &["--local", family, name, "--json", "-", "--dry-run"], input);
        assert!(matches!(ran.status, 0 | 2), "{family} {name}: {ran:?}");
        shown += usize::from(ran.status == 0 && ran.line()["dryRun"] == json!(true));
    }
    let place = [&["--local", "unified", "place-order", "--dry-run"][..], &order("a")].concat();
    assert_eq!(run(folder.path(), &place, "").ended(0).line()["dryRun"], true);
    assert!(shown > 5, "{shown}");
    assert_eq!(listener.accept().unwrap_err().kind(), std::io::ErrorKind::WouldBlock);
}
