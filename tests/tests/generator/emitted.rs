//! Emitted code: a snapshot for each kind of statement in a schema of a few lines, and a whole small API.

use std::collections::BTreeMap;
use std::path::Path;

use tradeapi_gen::{Generator, Layout};

const API: &str = "api: shop\ndoc: A shop.\n";
const FAMILY: &str = "family: desk\ntitle: Desk\ndoc: The desk.\nnumbers: text\n";

/// A schema with one operation, of which only the relevant part is given.
struct Small<'a> {
    types: &'a str,
    operation: &'a str,
    example: (&'a str, &'a str),
}

impl Small<'_> {
    fn emit(&self) -> BTreeMap<String, String> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("desk")).unwrap();
        let receipt = "  Receipt: { doc: A receipt., fields: { number: { type: string, doc: Its number. } } }\n";
        let has_records = self.types.contains("records:\n");
        let types = match has_records {
            true => self.types.replace("records:\n", &format!("records:\n{receipt}")),
            false => format!("{}records:\n{receipt}", self.types),
        };
        let response = if self.operation.contains("response:") { "" } else { "response: { object: Receipt }\n" };
        let read = "{ is: read, why: It lists what can be bought. }";
        let effect = if self.operation.contains("page:") { read } else { "create" };
        let operation = format!(
            "operation: buy\ntitle: Buy\nhttp: POST /v1/buy\ndoc: Buys.\neffect: {effect}\naccess: public\n{}{response}\
             examples:\n  - about: One.\n    request: |\n      {}\n    response: |\n      {}\n",
            self.operation, self.example.0, self.example.1
        );
        let operation =
            if self.operation.contains("http:") { operation.replace("http: POST /v1/buy\n", "") } else { operation };
        for (name, text) in [("api", API), ("desk/family", FAMILY), ("desk/types", &types), ("desk/buy", &operation)] {
            std::fs::write(folder.path().join(format!("{name}.yaml")), text).unwrap();
        }
        Generator::new()
            .schema_dir(folder.path())
            .read()
            .unwrap_or_else(|mistakes| panic!("{mistakes}"))
            .emit(Layout::Module)
    }
}

#[test]
fn an_enum_with_other_spellings_and_a_truth() {
    let types = "enums:\n  Gift:\n    doc: Whether it is a gift.\n    values: { yes: { doc: It is., also: [Y] }, no: It is not. }\n    truth: { yes: true, no: false }\n";
    let files = Small {
        types,
        operation: "request: { gift: { type: Gift, default: no } }\n",
        example: (r#"{"gift": "yes"}"#, "{}"),
    }
    .emit();
    insta::assert_snapshot!(files["desk/enums.rs"]);
}

#[test]
fn identifiers_with_and_without_constraints() {
    let types =
        "identifiers:\n  Code: { doc: A code., length: [1, 8], alphabet: \"A-Z-\" }\n  Name: { doc: A name. }\n";
    let operation = "request: { code: { type: Code, required: always }, name: { type: Name } }\n";
    let files = Small { types, operation, example: (r#"{"code": "A-B"}"#, "{}") }.emit();
    insta::assert_snapshot!(files["desk/identifiers.rs"]);
}

#[test]
fn a_choice_by_presence() {
    let types = "choices:\n  Who:\n    doc: Who buys.\n    one_of: { card: { type: string, doc: A card. }, guest: { type: integer, doc: A number. } }\n    wins: card\n";
    let operation = "request: { who: { type: Who, required: always } }\n";
    let files = Small { types, operation, example: (r#"{"guest": "7"}"#, "{}") }.emit();
    insta::assert_snapshot!(files["desk/choices.rs"]);
}

#[test]
fn a_choice_by_value() {
    let types = "enums:\n  Way: { doc: How to pay., values: { cash: Coins., card: A card. } }\n\
                 choices:\n  Payment:\n    doc: What is paid with.\n    choose_by: way\n    type: Way\n    cases:\n      cash: {}\n      \
                 card: { number: { type: string, required: always, doc: The number. }, name: { type: string, doc: The name. } }\n";
    let operation = "request: { payment: { type: Payment, required: always } }\n";
    let files = Small { types, operation, example: (r#"{"way": "card", "number": "1"}"#, "{}") }.emit();
    insta::assert_snapshot!(files["desk/choices.rs"]);
}

#[test]
fn a_record_that_includes_another() {
    let types = "records:\n  Core: { doc: All have it., abstract: true, fields: { id: { type: string, doc: An id. } } }\n  \
                 Bill:\n    doc: A bill.\n    includes: Core\n    fields:\n      sum: { type: decimal, unit: EUR, doc: The sum. }\n      \
                 paid: { type: time, may_be: null, doc: When. }\n      parts: { list: Receipt, doc: The parts. }\n";
    let operation = "request: {}\nresponse: { object: Bill }\n";
    let files =
        Small { types, operation, example: ("{}", r#"{"id": "1", "sum": "0.10", "paid": null, "parts": []}"#) }.emit();
    insta::assert_snapshot!(files["desk/records.rs"]);
}

#[test]
fn an_edit_keeps_sets_or_deletes() {
    let operation = "request: { note: { type: string, edit: { keep: left_out, delete: \"-\" }, doc: A note. } }\n";
    let files = Small { types: "", operation, example: (r#"{"note": "-"}"#, "{}") }.emit();
    insta::assert_snapshot!(files["desk/buy.rs"]);
}

#[test]
fn bounds_and_a_window_are_checked() {
    let operation = "request:\n  from: { type: time, doc: First. }\n  to: { type: time, doc: Last. }\n  \
                     limit: { type: integer, min: 1, max: 100, default: 100, doc: How many. }\n  price: { type: decimal, max: 9.5, doc: At most. }\n\
                     window: { from: from, to: to, span: 3 months, access: 90 days, default: 1 week, both_or_neither: true }\n";
    let files = Small { types: "", operation, example: (r#"{"limit": "5"}"#, "{}") }.emit();
    insta::assert_snapshot!(files["desk/buy.rs"]);
}

#[test]
fn a_body_that_is_an_array_with_rules_across_its_items() {
    let operation = "request:\n  \"[]\":\n    item: Line\n    rust: lines\n    required: always\n    max_items: 20\n    doc: The lines.\n    \
                     fields: { shop: { type: string, required: always, doc: A shop. }, ware: { type: string, doc: A ware. }, gift: { type: boolean, doc: A gift. } }\n\
                     rules:\n  - { id: one-shop, kind: checked, says: All lines have one shop., in: \"[]\", same: shop }\n  \
                     - { id: each-once, kind: checked, says: Each ware comes once., in: \"[]\", unique: [ware] }\n  \
                     - { id: gifts-are-named, kind: checked, says: A gift is named., in: \"[]\", when: { gift: true }, require: { given: [ware] } }\n\
                     response: { array: Receipt, observed_under: list }\n";
    let files = Small { types: "", operation, example: (r#"[{"shop": "a", "ware": "b"}]"#, "[]") }.emit();
    insta::assert_snapshot!(files["desk/buy.rs"]);
}

#[test]
fn a_condition_of_several_rules_is_evaluated_once() {
    let types = "enums:\n  Ware: { doc: A ware., values: { new-book: New., old-book: Old., map: A map. } }\n";
    let operation = "request:\n  ware: { type: Ware, required: always, doc: A ware. }\n  pages: { type: integer, doc: A count. }\n  \
                     scale: { type: string, doc: A scale. }\n\
                     rules:\n  - { id: books-have-pages, kind: checked, says: Books have pages., when: { ware: [new-book, old-book] }, require: { given: [pages] } }\n  \
                     - { id: books-have-no-scale, kind: checked, says: Books have no scale., when: { ware: [new-book, old-book] }, forbid: { given: [scale] } }\n  \
                     - { id: maps-have-a-scale, kind: checked, says: Maps have a scale., when: { ware: map }, require: { given: [scale] } }\n";
    let files = Small { types, operation, example: (r#"{"ware": "map", "scale": "1"}"#, "{}") }.emit();
    insta::assert_snapshot!(part_of(&files["desk/buy.rs"], "    fn check_rules("));
}

#[test]
fn a_page_and_a_parameter_in_the_path() {
    let operation = "http: GET /v1/shops/{shop}/receipts\nrequest:\n  shop: { type: string, required: always, doc: A shop. }\n  after: { type: string, doc: Where to begin. }\n\
                     response: { page: receipts, of: Receipt, cursor: last, next: after }\n";
    let files =
        Small { types: "", operation, example: (r#"{"shop": "a"}"#, r#"{"receipts": [], "last": "x"}"#) }.emit();
    insta::assert_snapshot!(files["desk/buy.rs"]);
}

#[test]
fn a_listing_with_a_window_whose_items_have_ids() {
    let types = "enums:\n  State: { doc: A state., values: { open: Open., paid: Paid., lost: Lost. } }\n";
    let operation = "http: GET /v1/receipts\nrequest:\n  from: { type: time, required: always, doc: From. }\n  to: { type: time, doc: To. }\n  \
                     state: { type: State, only: [open, paid], doc: Only these. }\n  after: { type: string, doc: Where to begin. }\n\
                     window: { from: from, to: to, span: 1 week }\n\
                     response: { page: receipts, of: Receipt, cursor: last, next: after, id: number, each: state }\n";
    let files = Small { types, operation, example: (r#"{"from": "7"}"#, r#"{"receipts": [], "last": "x"}"#) }.emit();
    insta::assert_snapshot!(part_of(&files["desk/buy.rs"], "impl runtime::pages::Paged"));
}

#[test]
fn a_batch_with_two_lists_of_results() {
    let types = "records:\n  Results:\n    doc: Results.\n    fields:\n      good: { list: Receipt, doc: Good ones. }\n      \
                 bad: { list: Refusal, doc: Bad ones. }\n      all: { type: boolean, doc: Whether all are good. }\n  \
                 Refusal: { doc: A refusal., fields: { number: { type: string, doc: N. }, why: { type: string, doc: W. } } }\n";
    let operation = "request:\n  things: { item: Thing, max_items: 9, doc: Things., fields: { number: { type: string, doc: N. } } }\n\
                     response:\n  object: Results\n  items: { of: things, id: [number], done: good, failed: bad, all_done: all, message: why }\n";
    let files = Small { types, operation, example: (r#"{"things": [{"number": "1"}]}"#, "{}") }.emit();
    let traits = ["impl runtime::batches::ListsResults", "impl runtime::batches::Batch"];
    let parts = traits.map(|begin| part_of(&files["desk/buy.rs"], begin));
    insta::assert_snapshot!(parts.join("\n"));
}

/// Returns the item that begins like this.
fn part_of<'a>(file: &'a str, begin: &str) -> &'a str {
    let start = file.find(begin).unwrap();
    let end = file[start..].find("\n}\n").unwrap();
    &file[start..start + end + 2]
}

/// Every file of a small API that uses most of the language.
#[test]
fn a_whole_small_api() {
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/base");
    for (name, text) in Generator::new().schema_dir(schema).read().unwrap().emit(Layout::Crate) {
        insta::assert_snapshot!(format!("whole__{}", name.replace('/', "_").replace(".rs", "")), text);
    }
}
