//! A typo with consequences in several places is reported once, at its place, with a hint that corrects it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that fails panics")]

#[path = "../../tests/src/folders.rs"]
mod folders;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use tradeapi_gen::{Code, Diagnostics, Generator, Place};

fn schema() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../schema")
}

/// Returns a copy of the schema to make mistakes in.
fn copy() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    folders::copy(&schema(), folder.path());
    folder
}

fn mistakes(folder: &Path) -> Diagnostics {
    Generator::new().schema_dir(folder).read().expect_err("the schema has a mistake")
}

/// A text of a file, and what somebody wrote instead.
struct Typo {
    file: &'static str,
    from: &'static str,
    to: &'static str,
    code: Code,
    message: &'static str,
    help: &'static str,
}

const TYPOS: &[Typo] = &[
    Typo {
        file: "classic/place-order.yaml",
        from: "operation: unified.place-order",
        to: "operation: unified.cancel-order",
        code: Code::BadCounterpart,
        message: "`unified.cancel-order` has 2 of the 14 parameters that are named",
        help: "name the operation that is meant, or the parameters of this one",
    },
    Typo {
        file: "classic/place-order.yaml",
        from: "rate_limit: [10/s per UID, 60/s per UID for vip-1",
        to: "rate_limit: [6,000/m per UID, 60/s per UID for vip-1",
        code: Code::WrongType,
        message: "expected a number without commas, found `6,000/m per UID`",
        help: "write the digits only",
    },
    Typo {
        file: "classic/place-order.yaml",
        from: "80/s per UID for vip-2",
        to: "80/s per UID for vip-1",
        code: Code::BadRate,
        message: "duplicate rate limit per UID for vip-1",
        help: "remove one of them, or give each a class with `for` or a window of its own",
    },
    Typo {
        file: "classic/place-order.yaml",
        from: "side: { type: Side, required: always }",
        to: "side: { type: Side, required: always, unit: base coin }",
        code: Code::Misplaced,
        message: "`unit` requires a number, but `side` is the enum `Side`",
        help: "remove it",
    },
    Typo {
        file: "classic/place-order.yaml",
        from: "side: { type: Side, required: always }",
        to: "side: { type: Side, required: always, only: [long] }",
        code: Code::BadValue,
        message: "`Side` has no value `long`",
        help: "the values of `Side` are: buy, sell",
    },
    Typo {
        file: "classic/place-order.yaml",
        from: "\"size\": \"0.1\", \"side\"",
        to: "\"qty\": \"0.1\", \"side\"",
        code: Code::BadExample,
        message: "the request has no parameter `qty`",
        help: "expected one of: symbol, productType, marginMode, marginCoin, size, side, orderType, price, force, tradeSide, \
               clientOid, reduceOnly, presetStopSurplusPrice, presetStopLossPrice, presetStopSurplusExecutePrice, \
               presetStopLossExecutePrice, stpMode",
    },
    Typo {
        file: "api.yaml",
        from: "type: flag",
        to: "type: flag\n      values: { plain: A key., elite: That of an elite trader. }",
        code: Code::Misplaced,
        message: "expected either `type` or `values`",
        help: "remove one of them",
    },
    Typo {
        file: "unified/family.yaml",
        from: "enum: OrderStatus",
        to: "enum: OrderStats",
        code: Code::UndefinedType,
        message: "unknown type `OrderStats`",
        help: "did you mean `OrderStatus`?",
    },
    Typo {
        file: "unified/family.yaml",
        from: "    partially_filled: {",
        to: "    partialy_filled: {",
        code: Code::BadLifecycle,
        message: "`OrderStatus` has no value `partialy_filled`",
        help: "did you mean `partially_filled`?",
    },
    Typo {
        file: "unified/family.yaml",
        from: "n: 400",
        to: "n: 0",
        code: Code::BadNumber,
        message: "a ceiling of 0 allows nothing",
        help: "write how many there may be",
    },
    Typo {
        file: "unified/modify-order.yaml",
        from: ", doc: New price. }",
        to: " }",
        code: Code::MissingKey,
        message: "the parameter `price` has no `doc`",
        help: "add `doc: ...`",
    },
    Typo {
        file: "unified/unfilled-orders.yaml",
        from: "default: 100, max: 100",
        to: "default: 100, min: 200, max: 100",
        code: Code::BadNumber,
        message: "`min` 200 is greater than `max` 100",
        help: "swap them, or correct one of them",
    },
    Typo {
        file: "unified/modify-order.yaml",
        from: "any_given: [qty, price]",
        to: "any_givn: [qty, price]",
        code: Code::UndefinedName,
        message: "unknown parameter `any_givn`",
        help: "did you mean `any_given`?",
    },
    Typo {
        file: "unified/modify-order.yaml",
        from: "doc: New price. }",
        to: "doc: New: price. }",
        code: Code::BrokenYaml,
        message: "invalid YAML: unexpected `: ` in a text",
        help: "put a text that contains `: ` in quotes",
    },
    Typo {
        file: "unified/modify-order.yaml",
        from: "doc: New price. }",
        to: "doc: New #price. }",
        code: Code::BrokenYaml,
        message: "invalid YAML: a bracket is not closed or not opened",
        help: "match every `[` and `{` with `]` and `}`; what follows ` #` is a comment, so put a text with it in quotes",
    },
    Typo {
        file: "unified/modify-order.yaml",
        from: "default: \"no\", doc: Whether a rejected",
        to: "default: \"no\",, doc: Whether a rejected",
        code: Code::BrokenYaml,
        message: "invalid YAML: unexpected `,`",
        help: "write one `,` between two entries, and none before the first",
    },
    Typo {
        file: "unified/modify-order.yaml",
        from: "type: OrderType, doc: Order type of the take-profit.",
        to: "type: OrderType doc: Order type of the take-profit.",
        code: Code::BrokenYaml,
        message: "invalid YAML: unexpected `: ` in a text",
        help: "separate the entries with `,`, or put a text that contains `: ` in quotes",
    },
    Typo {
        file: "unified/modify-order.yaml",
        from: "title: Modify Order",
        to: "title: **Modify** Order",
        code: Code::Alias,
        message: "an alias is not allowed",
        help: "write the value out, or refer to it with `as` or `includes`; put a text that begins with `*` in quotes",
    },
    // What a second document has, the first one does not lack.
    Typo {
        file: "unified/modify-order.yaml",
        from: "request:\n  order:",
        to: "---\nrequest:\n  order:",
        code: Code::SeveralDocuments,
        message: "unexpected second YAML document",
        help: "move it into a file of its own",
    },
    // Conditions, classes and other operations that use the parameter say nothing else.
    Typo {
        file: "unified/place-order.yaml",
        from: "symbol: { type: Symbol,",
        to: "symbol: { type: FeeDetail,",
        code: Code::Misplaced,
        message: "a record cannot be the type of a parameter",
        help: "use `{ item: SomeName, fields: { .. } }` for a list of objects, or `object` for a single one",
    },
    // Listings and properties of the account need the record in the lifecycle.
    Typo {
        file: "unified/family.yaml",
        from: "record: Order,",
        to: "record: Ordr,",
        code: Code::UndefinedType,
        message: "unknown type `Ordr`",
        help: "did you mean `Order`?",
    },
    // What uses the form says nothing else.
    Typo {
        file: "unified/types.yaml",
        from: "pattern: \"r*USDT\"",
        to: "pattern: \"r**\"",
        code: Code::BadAlphabet,
        message: "invalid form `r**`",
        help: "write what it begins and ends with, and one `*` for what is between, such as `a*z`, or `[A-Z]*` for what has \
               only such characters there",
    },
    // The class that is meant is not unused.
    Typo {
        file: "unified/place-reality-order.yaml",
        from: "10/s per UID",
        to: "10/s per UIDs",
        code: Code::BadRate,
        message: "invalid rate `10/s per UIDs`: expected `UID` or `IP`",
        help: "write `10/s per UID`, `50/500ms per UID`, `600/1m per IP`, or `5/s per UID for members`",
    },
    Typo {
        file: "unified/place-order.yaml",
        from: "30/s per UID for reality-whitelisted]",
        to: "30/s per UID for realty-whitelisted]",
        code: Code::UndefinedName,
        message: "unknown class `realty-whitelisted`",
        help: "did you mean `reality-whitelisted`?",
    },
    // The counterpart, which needs a value for what is required, says nothing else.
    Typo {
        file: "unified/place-order.yaml",
        from: "stpMode: { type: StpMode, default: none",
        to: "stpMode: { type: StpMode, required: always, default: none",
        code: Code::BadDefault,
        message: "`default` contradicts `required: always`: `stpMode` is never left out",
        help: "remove `default` or `required: always`",
    },
    Typo {
        file: "unified/place-order.yaml",
        from: "- { otherwise: base coin }",
        to: "- { otherwise: base }",
        code: Code::BadValue,
        message: "the worth of `qty` does not follow from the unit `base`",
        help: "expected one of: base coin, quote coin",
    },
    Typo {
        file: "unified/place-order.yaml",
        from: "- { otherwise: base coin }",
        to: "- { otherwise: base\u{a0}coin }",
        code: Code::BadValue,
        message: "the worth of `qty` does not follow from the unit `base\u{a0}coin`",
        help: "did you mean `base coin`? `base\u{a0}coin` has the character U+00A0",
    },
    Typo {
        file: "unified/place-order.yaml",
        from: "{ category: COIN-FUTURES }, is: quote coin",
        to: "{ category: COINM-FUTURES }, is: quote coin",
        code: Code::BadValue,
        message: "the unit depends on `category`: `Category` has no value `COINM-FUTURES`",
        help: "did you mean `COIN-FUTURES`?",
    },
    // What others take over, and codes name, by its id says nothing else.
    Typo {
        file: "unified/place-order.yaml",
        from: "- id: hedge-mode-needs-pos-side\n    at:",
        to: "- at:",
        code: Code::MissingKey,
        message: "missing key `id`",
        help: "add `id: ...`",
    },
    // A batch that takes the rule over says nothing else.
    Typo {
        file: "unified/place-order.yaml",
        from: "- id: hedge-mode-needs-pos-side\n",
        to: "- id: hedge-mode-needs-pos-side\n    forbid: { given: [posSide] }\n",
        code: Code::BadRule,
        message: "the rule `hedge-mode-needs-pos-side` requires what it forbids",
        help: "correct `require` or `forbid`",
    },
    Typo {
        file: "unified/place-order.yaml",
        from: "kept: 2 hours",
        to: "kept: 2\u{a0}hours",
        code: Code::BadDuration,
        message: "invalid duration `2\u{a0}hours`",
        help: "write a number and a unit, such as `30 seconds`, `1 week` or `3 months`; the text has the character U+00A0",
    },
    Typo {
        file: "unified/place-order.yaml",
        from: "reduceOnly: { type: YesNo, default: \"no\"",
        to: "reduceOnly: { type: YesNo, default: \u{201c}no\u{201d}",
        code: Code::BadDefault,
        message: "`default`: `YesNo` has no value `\u{201c}no\u{201d}`",
        help: "the values of `YesNo` are: yes, no; the text has the character U+201C",
    },
    Typo {
        file: "unified/types.yaml",
        from: "length: [1, 32]",
        to: "length: [1,\u{a0}32]",
        code: Code::WrongType,
        message: "expected a whole number of at most 32 bits, found `\u{a0}32`",
        help: "write digits only, such as 100; the text has the character U+00A0",
    },
    Typo {
        file: "unified/fills.yaml",
        from: "default: 100, max: 100",
        to: "default: 100, max: 1,000",
        code: Code::WrongType,
        message: "expected a number without commas, found `1,000`",
        help: "write the digits only",
    },
    Typo {
        file: "unified/family.yaml",
        from: "trigger: [cancel-order, cancel-batch,",
        to: "trigger: [cancel-order, cancel-bach,",
        code: Code::UndefinedName,
        message: "unknown operation `cancel-bach`: expected one with `effect: create`, `amend`, `cancel` or `close`",
        help: "did you mean `cancel-batch`?",
    },
    Typo {
        file: "unified/family.yaml",
        from: "to: cancelled\n      condition: The",
        to: "to: canceled\n      condition: The",
        code: Code::BadLifecycle,
        message: "`OrderStatus` has no value `canceled`",
        help: "did you mean `cancelled`?",
    },
    Typo {
        file: "unified/family.yaml",
        from: "quotes: { USDT-FUTURES: USDT",
        to: "quotes: { USDT-FUTURE: USDT",
        code: Code::BadValue,
        message: "`quotes`: `Category` has no value `USDT-FUTURE`",
        help: "did you mean `USDT-FUTURES`?",
    },
    Typo {
        file: "unified/family.yaml",
        from: "- id: open-spot-orders",
        to: "- id: open-futures-orders",
        code: Code::DefinedTwice,
        message: "duplicate limit id `open-futures-orders`",
        help: "rename one of them",
    },
    Typo {
        file: "unified/place-batch.yaml",
        from: "items: { of: \"[]\"",
        to: "items: { of: []",
        code: Code::WrongType,
        message: "expected a text, found a list",
        help: "write `\"[]\"`, in quotes",
    },
    Typo {
        file: "unified/place-batch.yaml",
        from: "- { as: place-order.rpi-needs-permission, in: \"[]\",",
        to: "- { as: place-order.rpi-needs-permission,",
        code: Code::BadRule,
        message: "the rule `rpi-needs-permission` tests `timeInForce`, which items of `[]` have",
        help: "add `in: \"[]\"`",
    },
    Typo {
        file: "classic/batch-place-order.yaml",
        from: "of: orderList\n",
        to: "of: orderlist\n",
        code: Code::UndefinedName,
        message: "`batch-place-order` has no list of objects `orderlist`",
        help: "did you mean `orderList`?",
    },
    Typo {
        file: "classic/cancel-order.yaml",
        from: "operation: unified.cancel-order",
        to: "operation: cancel-order",
        code: Code::UndefinedName,
        message: "unknown operation `cancel-order`",
        help: "write the family, too: `unified.cancel-order`",
    },
    Typo {
        file: "classic/place-order.yaml",
        from: "- id: hedge-open-short",
        to: "- id: hedge-close-long",
        code: Code::DefinedTwice,
        message: "the intent `hedge-close-long` is there twice",
        help: "rename one of them",
    },
    Typo {
        file: "observed/positions.yaml",
        from: "only: [USDT-FUTURES",
        to: "only: [USDT-FUTURE",
        code: Code::BadValue,
        message: "`Category` has no value `USDT-FUTURE`",
        help: "did you mean `USDT-FUTURES`?",
    },
];

/// A definition that was renamed is one mistake, wherever it is used: by operations and families, counterparts, batches
/// and codes.
#[test]
fn a_renamed_definition_is_one_mistake() {
    let renamed = [
        ("unified/place-order.yaml", "  posSide: { type", "  possSide: { type"),
        ("unified/place-order.yaml", "id: hedge-mode-needs-pos-side", "id: hedge-mode-needs-posside"),
        (
            "unified/types.yaml",
            "choose_by: orderType\n    type: OrderType\n",
            "choose_by: ordertype\n    type: OrderType\n",
        ),
    ];
    for (file, from, to) in renamed {
        let folder = copy();
        let path = folder.path().join(file);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{file}: {from}");
        fs::write(&path, text.replacen(from, to, 1)).unwrap();
        let all = mistakes(folder.path());
        let [one] = all.iter().collect::<Vec<_>>()[..] else { panic!("{to}: {all}") };
        let is_here = |place: &Place| all.files()[place.file as usize].ends_with(file);
        assert!(one.related.iter().any(|(place, why)| is_here(place) && why.contains("similar")), "{all}");
    }
}

/// The code of success is written once for the API and in each family; where they differ, one mistake lists them all.
#[test]
fn another_code_of_success_is_one_mistake() {
    let folder = copy();
    let path = folder.path().join("api.yaml");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replacen("success: \"00000\"", "success: \"00001\"", 1)).unwrap();
    let all = mistakes(folder.path());
    let [one] = all.iter().collect::<Vec<_>>()[..] else { panic!("{all}") };
    assert_eq!((one.code, one.related.len()), (Code::BadResponse, 2), "{all}");
}

/// A circle of `includes` says nothing about the fields of those in it.
#[test]
fn a_circle_of_records_is_one_mistake() {
    let folder = copy();
    let path = folder.path().join("unified/types.yaml");
    let text = fs::read_to_string(&path).unwrap();
    let broken = text.replacen("  OrderIds:\n", "  OrderIds:\n    includes: BatchModifyResult\n", 1);
    fs::write(&path, broken).unwrap();
    let all = mistakes(folder.path());
    let [one] = all.iter().collect::<Vec<_>>()[..] else { panic!("{all}") };
    assert_eq!(one.code, Code::Circular, "{all}");
}

/// Mistakes in several files, of which none hides another: a word that cannot be read says nothing about names.
#[test]
fn mistakes_in_other_files_are_reported_in_the_same_run() {
    let folder = copy();
    let typos = [
        ("api.yaml", "encoding: base64", "encoding: base46"),
        ("unified/types.yaml", "mint: true", "mint: ture"),
        ("unified/place-order.yaml", "kind: simulated", "kind: simulatd"),
        ("unified/place-order.yaml", "when: { timeInForce: rpi }", "when: { timeInForc: rpi }"),
        ("unified/fills.yaml", "next: cursor", "next: cursr"),
        ("classic/fills.yaml", "next: idLessThan", "next: idLesThan"),
        ("classic/orders-history.yaml", "of: HistoryOrder", "of: HistryOrder"),
    ];
    for (file, from, to) in typos {
        let path = folder.path().join(file);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{file}: {from}");
        fs::write(path, text.replacen(from, to, 1)).unwrap();
    }
    let all = mistakes(folder.path());
    assert_eq!(all.len(), typos.len(), "{all}");
    for (file, _, to) in typos {
        let wrong = to.rsplit([' ', ':']).find(|word| !"}".contains(word)).unwrap();
        let is_it = |text: &str| text.contains(wrong) || text.contains("timeInForc`");
        assert!(all.iter().any(|one| is_it(&one.message)), "{file}: {wrong}: {all}");
    }
}

#[test]
fn a_typo_is_one_mistake_with_its_remedy() {
    for typo in TYPOS {
        let folder = copy();
        let path = folder.path().join(typo.file);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(typo.from), "{}: {}", typo.file, typo.from);
        fs::write(&path, text.replacen(typo.from, typo.to, 1)).unwrap();
        let all = mistakes(folder.path());
        let [one] = all.iter().collect::<Vec<_>>()[..] else { panic!("{}: {all}", typo.to) };
        assert_eq!((one.code, one.message.as_str()), (typo.code, typo.message), "{all}");
        assert_eq!(one.help.as_deref(), Some(typo.help), "{all}");
        let line = text[..text.find(typo.from).unwrap()].matches('\n').count() + 1;
        assert_eq!(one.place.unwrap().line as usize, line, "{all}");
    }
}

/// A file that is copied into another family, moved out of its own or renamed is one mistake, whatever depends on it.
#[test]
fn a_file_in_the_wrong_place_is_one_mistake() {
    let http = "duplicate method and path `POST /api/v3/trade/cancel-order`, also used by `broker.cancel-order`";
    let fills = "duplicate method and path `GET /api/v2/mix/order/fills`, also used by `classic.fills`";
    let stray = "unexpected file: only api.yaml and codes.yaml belong here";
    let types = "the file has the keys of types.yaml, but its name is type.yaml";
    let family = "the file has the keys of family.yaml, but its name is familly.yaml";
    for (from, to, is_copy, message) in [
        ("unified/cancel-order.yaml", "broker/cancel-order.yaml", true, http),
        ("classic/fills.yaml", "unified/fills2.yaml", true, fills),
        ("unified/cancel-order.yaml", "cancel-order.yaml", false, stray),
        ("unified/types.yaml", "unified/type.yaml", false, types),
        ("broker/family.yaml", "broker/familly.yaml", false, family),
    ] {
        let folder = copy();
        let [from, to] = [from, to].map(|name| folder.path().join(name));
        fs::copy(&from, to).unwrap();
        if !is_copy {
            fs::remove_file(from).unwrap();
        }
        let all = mistakes(folder.path());
        let [one] = all.iter().collect::<Vec<_>>()[..] else { panic!("{message}: {all}") };
        assert_eq!(one.message, message);
    }
    let folder = copy();
    fs::write(folder.path().join("codes.yaml"), "{\"a\": 1, \"b\": 2}\n").unwrap();
    assert_eq!(mistakes(folder.path()).iter().count(), 1, "{}", mistakes(folder.path()));
}

/// A file of which the end was not saved, or over which another one was saved, is one mistake, also where the rest is
/// right for itself.
#[test]
fn a_file_that_was_not_saved_whole_is_one_mistake() {
    let text = |name: &str| fs::read_to_string(schema().join(name)).unwrap();
    let until = |name: &str, end: &str| {
        let text = text(name);
        text[..text.find(end).unwrap() + end.len()].to_owned()
    };
    let cut = "the file ends within a line";
    for (name, saved, message) in [
        ("unified/types.yaml", until("unified/types.yaml", "\n  FeeDetail:\n    doc: A fee"), cut),
        ("codes.yaml", until("codes.yaml", "\n  \"22003\":\n    proves: not_done"), cut),
        ("unified/types.yaml", text("classic/types.yaml"), "the file is a copy of"),
        ("broker/types.yaml", text("classic/types.yaml"), "the file is a copy of"),
    ] {
        let folder = copy();
        fs::write(folder.path().join(name), saved).unwrap();
        let all = mistakes(folder.path());
        let [one] = all.iter().collect::<Vec<_>>()[..] else { panic!("{name}: {all}") };
        assert!(one.message.starts_with(message), "{all}");
        assert!(all.files()[one.place.unwrap().file as usize].ends_with(name), "{all}");
    }
    let folder = copy();
    for name in ["unified/types.yaml", "unified/family.yaml", "observed/tickers.yaml"] {
        fs::write(folder.path().join(name), text(name).trim_end()).unwrap();
    }
    Generator::new().schema_dir(folder.path()).read().expect("a file without a last line end is whole");
    let name = "classic/place-order.yaml";
    let broken = text(name).replace("effect: create", "effect: creat").replace("decimal", "decimel");
    fs::write(folder.path().join(name), broken.trim_end()).unwrap();
    let all = mistakes(folder.path());
    assert!(all.iter().any(|one| one.code == Code::UnknownWord), "its own mistakes are not hidden: {all}");
    assert!(all.iter().any(|one| one.code == Code::UndefinedType), "its own mistakes are not hidden: {all}");
}

/// A copy keeps the mistakes that its lines have in the family of the original, too.
#[test]
fn a_copy_hides_no_mistake_of_its_own() {
    let folder = copy();
    let text = fs::read_to_string(folder.path().join("classic/fills.yaml")).unwrap();
    let text = text.replace("effect: read\n", "effect: reed\n");
    fs::write(folder.path().join("unified/fills2.yaml"), text).unwrap();
    let all = mistakes(folder.path());
    let codes: BTreeSet<Code> = all.iter().map(|one| one.code).collect();
    assert_eq!(codes, BTreeSet::from([Code::BadPath, Code::UnknownWord]), "{all}");
}

#[test]
fn a_rule_that_refuses_every_request_is_a_mistake() {
    let folder = copy();
    let path = folder.path().join("classic/place-order.yaml");
    let text =
        fs::read_to_string(&path).unwrap().replace("forbid: { given: [reduceOnly] }", "forbid: { given: [symbol] }");
    fs::write(path, text).unwrap();
    let all = mistakes(folder.path());
    let [one] = all.iter().collect::<Vec<_>>()[..] else { panic!("{all}") };
    let message = "the rule `reduce-only-in-one-way-mode` refuses every request of `when`: each has symbol";
    assert_eq!(one.message, message, "{all}");
}

#[test]
fn a_state_that_is_left_out_is_missing() {
    let folder = copy();
    let path = folder.path().join("unified/family.yaml");
    let text = fs::read_to_string(&path).unwrap();
    let without: Vec<&str> = text.lines().filter(|line| !line.starts_with("    filled: {")).collect();
    fs::write(path, without.join("\n") + "\n").unwrap();
    let all = mistakes(folder.path());
    let missing = all.iter().filter(|one| one.message == "missing state for the value `filled` of `OrderStatus`");
    assert_eq!(missing.count(), 1, "{all}");
}

#[test]
fn a_place_is_named_once_in_a_mistake() {
    let folder = copy();
    let path = folder.path().join("unified/modify-order.yaml");
    let text = fs::read_to_string(&path).unwrap().replace("ids: { orderId: orderId", "ids: { orderid: orderId");
    fs::write(path, text).unwrap();
    let all = mistakes(folder.path());
    let [one] = all.iter().collect::<Vec<_>>()[..] else { panic!("{all}") };
    assert!(one.related.iter().all(|(place, _)| Some(*place) != one.place), "{all}");
}

#[test]
fn a_missing_file_of_types_is_one_mistake() {
    let folder = copy();
    fs::remove_file(folder.path().join("unified/types.yaml")).unwrap();
    let all = mistakes(folder.path());
    let [one] = all.iter().collect::<Vec<_>>()[..] else { panic!("{all}") };
    assert_eq!(one.code, Code::MissingFile, "{all}");
    assert!(one.message.ends_with("types.yaml"), "{all}");
    assert!(one.help.as_ref().unwrap().contains("Category"), "{all}");
}

#[test]
fn a_missing_file_of_what_is_shared_is_one_mistake() {
    for name in ["api.yaml", "unified/family.yaml"] {
        let folder = copy();
        fs::remove_file(folder.path().join(name)).unwrap();
        let all = mistakes(folder.path());
        let [one] = all.iter().collect::<Vec<_>>()[..] else { panic!("{all}") };
        assert_eq!(one.code, Code::MissingFile, "{all}");
    }
}

#[test]
fn an_enum_without_values_is_one_mistake() {
    let folder = copy();
    let path = folder.path().join("unified/types.yaml");
    let text = fs::read_to_string(&path).unwrap();
    let values = "    values:\n      buy: Buys the base coin.\n      sell: Sells the base coin.\n";
    assert!(text.contains(values));
    fs::write(path, text.replace(values, "    values: {}\n")).unwrap();
    let all = mistakes(folder.path());
    let [one] = all.iter().collect::<Vec<_>>()[..] else { panic!("{all}") };
    assert_eq!(one.message, "the enum `Side` has no values", "{all}");
}

#[test]
fn a_name_that_another_file_has_hides_no_operation() {
    let folder = copy();
    let path = folder.path().join("unified/cancel-order.yaml");
    let text = fs::read_to_string(&path).unwrap().replace("operation: cancel-order", "operation: place-order");
    fs::write(path, text).unwrap();
    let all = mistakes(folder.path());
    let [one] = all.iter().collect::<Vec<_>>()[..] else { panic!("{all}") };
    assert_eq!(one.code, Code::WrongName, "{all}");
}

#[test]
fn a_copied_operation_reports_each_duplicate_name_once() {
    let folder = copy();
    let unified = folder.path().join("unified");
    let copied = unified.join("amend-order.yaml");
    fs::copy(unified.join("modify-order.yaml"), &copied).unwrap();
    let all = mistakes(folder.path());
    let [one] = all.iter().collect::<Vec<_>>()[..] else { panic!("{all}") };
    assert_eq!(one.code, Code::WrongName, "{all}");
    let text = fs::read_to_string(&copied).unwrap().replacen("operation: modify-order", "operation: amend-order", 1);
    fs::write(copied, text).unwrap();
    let all = mistakes(folder.path());
    let collisions = all.iter().filter(|one| one.code == Code::NameCollision).count();
    assert_eq!(collisions, 1, "{all}");
}

#[cfg(unix)]
#[test]
fn a_link_back_into_the_schema_is_one_mistake() {
    let folder = copy();
    std::os::unix::fs::symlink(folder.path(), folder.path().join("again")).unwrap();
    let all = mistakes(folder.path());
    let [one] = all.iter().collect::<Vec<_>>()[..] else { panic!("{all}") };
    assert_eq!(one.code, Code::WrongName, "{all}");
    assert!(one.message.contains("read twice"), "{all}");
}
