//! Changes of both documents, followed as a maintainer follows the report: each line of the schema that has to change is
//! named, by the audit or then by the check, and afterwards nothing is left to do.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use tradeapi_gen::{Documents, Generator};

use super::{DOCUMENTS, Subject, root};

const CLASSIC: usize = 0;
const UNIFIED: usize = 1;

/// A text in the place of another one, which its file has once.
type Edit = (&'static str, &'static str, &'static str);

/// A change of documents, and what follows from it.
#[derive(Clone, Copy)]
struct Step {
    documents: &'static [(usize, &'static str, &'static str)],
    /// Edits of the schema, each at a line that the audit names, or a little below.
    audited: &'static [Edit],
    /// Edits at lines that the check names then.
    checked: &'static [Edit],
    /// Entries of their own in a file that the audit names.
    entries: &'static [Edit],
}

/// So many lines below a named line a maintainer looks: as many as the head of an operation has.
const NEAR: usize = 10;

const NOTHING: Step = Step { documents: &[], audited: &[], checked: &[], entries: &[] };

#[rustfmt::skip]
const STEPS: &[Step] = &[
    // Values.
    Step {
        documents: &[
            (UNIFIED, "| stpMode | none, cancel_taker, cancel_maker, cancel_both |", "| stpMode | none, cancel_taker, cancel_maker, cancel_both, cancel_oldest |"),
            (UNIFIED, "none (default), cancel_taker, cancel_maker, cancel_both |", "none (default), cancel_taker, cancel_maker, cancel_both, cancel_oldest |"),
        ],
        audited: &[("unified/types.yaml", "      cancel_both: Both orders are cancelled.\n", "      cancel_both: Both orders are cancelled.\n      cancel_oldest: The older order is cancelled.\n")],
        ..NOTHING
    },
    Step {
        documents: &[(CLASSIC, "holdSide (optional: long, short)", "holdSide (optional: long, short, both)")],
        audited: &[("classic/types.yaml", "      short: Short positions.\n", "      short: Short positions.\n      both: All positions.\n")],
        checked: &[("classic/close-positions.yaml", "holdSide: [] } }\n", "holdSide: [] } }\n        - { when: { account.positionMode: hedge_mode, holdSide: both } }\n")],
        ..NOTHING
    },
    Step {
        documents: &[(CLASSIC, "forced liquidation), ANDROID, IOS |", "forced liquidation), IOS |")],
        audited: &[("classic/types.yaml", "      ANDROID: The Android app.\n", "")],
        checked: &[("classic/fill-history.yaml", "\"ANDROID\"", "\"IOS\"")],
        ..NOTHING
    },
    Step {
        // A value of a type that one of two lists has.
        documents: &[(UNIFIED, "| tpTriggerBy, slTriggerBy | no | market (default), mark;", "| tpTriggerBy, slTriggerBy | no | market (default), mark, index;")],
        audited: &[("unified/types.yaml", "      mark: The mark price.\n", "      mark: The mark price.\n      index: The index price.\n")],
        entries: &[("unified/family.yaml", "contradictions:\n", "contradictions:\n  - id: values-of-tpTriggerBy-and-slTriggerBy\n    readings: [A request may have index., Records and amendments list market and mark only.]\n    chosen: All have it.\n    why: It is one type.\n")],
        ..NOTHING
    },
    Step {
        documents: &[
            (UNIFIED, "partially_filled, filled, cancelled.", "partially_filled, filled, cancelled, expired."),
            (UNIFIED, "new (matching), partially_filled, filled, cancelled |", "new (matching), partially_filled, filled, cancelled, expired |"),
        ],
        audited: &[
            ("unified/types.yaml", "      cancelled: The order was cancelled.\n", "      cancelled: The order was cancelled.\n      expired: Its time is over.\n"),
            ("unified/family.yaml", "    cancelled: { doc: The order was cancelled., terminal: true }\n", "    cancelled: { doc: The order was cancelled., terminal: true }\n    expired: { doc: Its time is over., terminal: true }\n"),
        ],
        ..NOTHING
    },
    Step {
        documents: &[(UNIFIED, "| filled | Modify Order | fully filled |", "| filled | Modify Order, Batch Modify | fully filled |")],
        audited: &[("unified/family.yaml", "      trigger: [modify-order]\n      to: rejected", "      trigger: [modify-order, batch-modify-order]\n      to: rejected")],
        ..NOTHING
    },
    // Parameters.
    Step {
        documents: &[(CLASSIC, "symbol (optional); holdSide", "symbol (required); holdSide")],
        audited: &[("classic/close-positions.yaml", "symbol: { type: Symbol, doc: Trading pair. What is closed without it is not shown. }", "symbol: { type: Symbol, required: always, doc: Trading pair. }")],
        checked: &[
            ("classic/close-positions.yaml", "    set: { holdSide: long }\n    take: [symbol]\n", "    set: { holdSide: long }\n"),
            ("classic/close-positions.yaml", "    set: { holdSide: short }\n    take: [symbol]\n", "    set: { holdSide: short }\n"),
            ("classic/close-positions.yaml", "{\"productType\": \"USDC-FUTURES\"}", "{\"productType\": \"USDC-FUTURES\", \"symbol\": \"XRPUSDC\"}"),
        ],
        ..NOTHING
    },
    Step {
        documents: &[(CLASSIC, "| newClientOid | yes |", "| newClientOid | no |")],
        audited: &[("classic/modify-order.yaml", "    type: ClientOid\n    required: always\n", "    type: ClientOid\n")],
        ..NOTHING
    },
    Step {
        documents: &[(UNIFIED, "Parameters: category, symbol, startTime, endTime (Unix ms), limit (default", "Parameters: category (required), symbol, startTime, endTime (Unix ms), limit (default")],
        audited: &[("unified/unfilled-orders.yaml", "category: { type: Category, required: unstated,", "category: { type: Category, required: always,")],
        checked: &[("unified/unfilled-orders.yaml", "    request: |\n      {}\n", "    request: |\n      {\"category\": \"SPOT\"}\n")],
        ..NOTHING
    },
    Step {
        documents: &[(CLASSIC, "| force | conditional | order validity, required when orderType is limit:", "| force | no | order validity:")],
        audited: &[("classic/types.yaml", "force: { type: Force, required: always, default: gtc,", "force: { type: Force, default: gtc,")],
        ..NOTHING
    },
    Step {
        documents: &[(UNIFIED, "| showSub | no |", "| includeSub | no |")],
        audited: &[("broker/customer-commissions.yaml", "  showSub: {", "  includeSub: {")],
        checked: &[("broker/customer-commissions.yaml", "\"showSub\"", "\"includeSub\"")],
        ..NOTHING
    },
    Step {
        documents: &[(UNIFIED, "| clientOid | no | client order ID |\n", "| clientOid | no | client order ID |\n| remark | no | free text |\n")],
        audited: &[("unified/place-order.yaml", "  reduceOnly: { type: YesNo,", "  remark: { type: string, doc: A free text. }\n  reduceOnly: { type: YesNo,")],
        entries: &[("unified/place-order.yaml", "beside: [timeInForce,", "beside: [remark, timeInForce,")],
        ..NOTHING
    },
    Step {
        documents: &[(UNIFIED, "20/s/UID. No parameters.", "20/s/UID. Parameters: coin (optional).")],
        audited: &[("unified/assets.yaml", "request: {}", "request:\n  coin: { type: Coin, doc: Only this coin. }")],
        ..NOTHING
    },
    Step {
        documents: &[(CLASSIC, "; receiveWindow (string, valid window in Unix ms)", "")],
        audited: &[("classic/cancel-all-orders.yaml", "  receiveWindow:\n    type: integer\n    required: unstated\n    unit: milliseconds\n    doc: The time for which the request is valid.\n", "")],
        checked: &[
            ("classic/cancel-all-orders.yaml", "    receiveWindow: No request of the unified account is valid for a time of its own.\n", ""),
            ("classic/cancel-all-orders.yaml", ",\n       \"receiveWindow\": \"5000\"}", "}"),
        ],
        ..NOTHING
    },
    Step {
        documents: &[(CLASSIC, "take-profit; 0 deletes it", "take-profit; -1 deletes it")],
        audited: &[("classic/modify-order.yaml", "  newPresetStopSurplusPrice:\n    type: decimal\n    edit: { keep: left_out, delete: \"0\" }", "  newPresetStopSurplusPrice:\n    type: decimal\n    edit: { keep: left_out, delete: \"-1\" }")],
        ..NOTHING
    },
    Step {
        documents: &[(CLASSIC, "productType (required), orderId, clientOid (one required).", "productType (required), orderId, clientOid (one required; orderId wins).")],
        audited: &[("classic/detail.yaml", "required: always, wins: unstated }", "required: always }")],
        ..NOTHING
    },
    // Rates, defaults, bounds and windows.
    Step {
        documents: &[
            (CLASSIC, "close-positions. Rate limit 1 per second", "close-positions. Rate limit 3 per second"),
            (CLASSIC, "| Flash Close Position | 1/s |", "| Flash Close Position | 3/s |"),
        ],
        audited: &[("classic/close-positions.yaml", "[1/s per UID]", "[3/s per UID]")],
        ..NOTHING
    },
    Step {
        // The document contradicts itself.
        documents: &[(CLASSIC, "| Batch Cancel | 10/s;", "| Batch Cancel | 5/s;")],
        audited: &[("classic/batch-cancel-orders.yaml", "[10/s per UID]", "[5/s per UID]")],
        entries: &[("classic/batch-cancel-orders.yaml", "\nnot_shown:", "\ncontradictions:\n  - { id: rate, readings: [The section has 10/s per UID., The table has 5/s per UID.], chosen: The lower one., why: It is safe. }\n\nnot_shown:")],
        ..NOTHING
    },
    Step {
        documents: &[
            (UNIFIED, "| Place Batch, Batch Cancel, Cancel All Orders | 5/s/UID |", "| Place Batch, Batch Cancel, Cancel All Orders | 6/s/UID |"),
            (UNIFIED, "place-batch. Rate limit 5/s/UID", "place-batch. Rate limit 6/s/UID"),
            (UNIFIED, "cancel-batch. Rate limit 5/s/UID", "cancel-batch. Rate limit 6/s/UID"),
            (UNIFIED, "cancel-symbol-order. Rate limit 5/s/UID", "cancel-symbol-order. Rate limit 6/s/UID"),
        ],
        audited: &[
            ("unified/place-batch.yaml", "[5/s per UID]", "[6/s per UID]"),
            ("unified/cancel-batch.yaml", "[5/s per UID]", "[6/s per UID]"),
            ("unified/cancel-symbol-order.yaml", "[5/s per UID]", "[6/s per UID]"),
        ],
        ..NOTHING
    },
    Step {
        documents: &[(CLASSIC, "modify-order. Rate limit 10/s.", "modify-order. Rate limit 10/s; 1/s/UID for copy-trading traders.")],
        audited: &[("classic/modify-order.yaml", "[10/s per UID]", "[10/s per UID, 1/s per UID for copy-trading]")],
        ..NOTHING
    },
    Step {
        documents: &[
            (UNIFIED, "inner-trades. Rate limit 1/s/IP", "inner-trades. Rate limit 1/s/UID"),
            (UNIFIED, "| Insider trades | 1/s/IP |", "| Insider trades | 1/s/UID |"),
            (UNIFIED, "limit (default 20, maximum 100), cursor (omit", "limit (default 50, maximum 100), cursor (omit"),
            (UNIFIED, "insider trades default 20,", "insider trades default 50,"),
        ],
        audited: &[("unified/inner-trades.yaml", "[1/s per IP]", "[1/s per UID]"), ("unified/inner-trades.yaml", "default: 20", "default: 50")],
        ..NOTHING
    },
    Step {
        documents: &[
            (CLASSIC, "span at most one week, defaults one week", "span at most two weeks, defaults one week"),
            (CLASSIC, "| Historical fills time span | at most one week |", "| Historical fills time span | at most two weeks |"),
        ],
        audited: &[("classic/fill-history.yaml", "span: 1 week", "span: 2 weeks")],
        ..NOTHING
    },
    Step {
        documents: &[
            (UNIFIED, "| limit | no | default 100, maximum 1000 |", "| limit | no | default 100, maximum 500 |"),
            (UNIFIED, "commissions default 100, maximum 1000)", "commissions default 100, maximum 500)"),
            (UNIFIED, "Rules: startTime and endTime are both set or both blank; only", "Rules: only"),
        ],
        audited: &[
            ("broker/customer-commissions.yaml", "max: 1000", "max: 500"),
            ("broker/customer-commissions.yaml", "  both_or_neither: true\n", ""),
        ],
        ..NOTHING
    },
    Step {
        documents: &[
            (CLASSIC, "| orderList | yes | array, at most 50 items |", "| orderList | yes | array, at most 20 items |"),
            (CLASSIC, "at most 50 orders per request", "at most 20 orders per request"),
        ],
        audited: &[("classic/batch-place-order.yaml", "max_items: 50", "max_items: 20")],
        ..NOTHING
    },
    Step {
        documents: &[(UNIFIED, "| tpOrderType, slOrderType | no | limit, market; Reality", "| tpOrderType, slOrderType | no | limit, market (default); Reality")],
        audited: &[
            ("unified/place-order.yaml", "tpOrderType: { type: OrderType,", "tpOrderType: { type: OrderType, default: market,"),
            ("unified/place-order.yaml", "slOrderType: { type: OrderType,", "slOrderType: { type: OrderType, default: market,"),
        ],
        ..NOTHING
    },
    Step {
        documents: &[(UNIFIED, "| clientOid | 1 to 32 characters", "| clientOid | 1 to 64 characters"), (UNIFIED, "400 across all USDT", "600 across all USDT")],
        audited: &[
            ("unified/types.yaml", "length: [1, 32], alphabet: \".:/", "length: [1, 64], alphabet: \".:/"),
            ("unified/family.yaml", "  - id: open-futures-orders\n    n: 400", "  - id: open-futures-orders\n    n: 600"),
        ],
        ..NOTHING
    },
    // Answers and records.
    Step {
        documents: &[(UNIFIED, "Response data: orderId, clientOid.\n\nRules:\n1. Rate limit", "Response data: orderId, clientOid, acceptedTime.\n\nRules:\n1. Rate limit")],
        audited: &[("unified/types.yaml", "null when a reduce-only order replaced an earlier one.\n", "null when a reduce-only order replaced an earlier one.\n      acceptedTime: { type: time, doc: When it was taken. }\n")],
        ..NOTHING
    },
    Step {
        documents: &[
            (UNIFIED, "| leverage | account leverage, non-negative number |\n", "| leverage | account leverage, non-negative number |\n| pnlRatio | ratio of the unrealised PnL |\n"),
            (UNIFIED, "size (base coin), side (buy, sell), ts (Unix ms)", "size (base coin), side (buy, sell), fee, ts (Unix ms)"),
        ],
        audited: &[
            ("unified/types.yaml", "      assets: { list: Asset,", "      pnlRatio: { type: decimal, doc: Ratio. }\n      assets: { list: Asset,"),
            ("unified/types.yaml", "      ts: { type: time, rust: time, doc: When the fill happened. }", "      fee: { type: decimal, doc: Fee. }\n      ts: { type: time, rust: time, doc: When the fill happened. }"),
        ],
        ..NOTHING
    },
    // Operations and sections.
    Step {
        documents: &[
            (UNIFIED, "POST /api/v3/trade/cancel-batch", "POST /api/v3/trade/batch-cancel"),
            (UNIFIED, "GET /api/v2/broker/customer-commissions", "GET /api/v3/broker/customer-commissions"),
        ],
        audited: &[
            ("unified/cancel-batch.yaml", "/api/v3/trade/cancel-batch", "/api/v3/trade/batch-cancel"),
            ("broker/customer-commissions.yaml", "http: GET /api/v2/", "http: GET /api/v3/"),
        ],
        ..NOTHING
    },
    Step {
        documents: &[(UNIFIED, "### Get Order History", "### Get Past Orders"), (UNIFIED, "Get Open Orders, Get Order History,", "Get Open Orders, Get Past Orders,")],
        audited: &[("unified/history-orders.yaml", "section: Get Order History", "section: Get Past Orders"), ("unified/history-orders.yaml", "    Get Order History: ", "    Get Past Orders: ")],
        ..NOTHING
    },
    Step {
        documents: &[(UNIFIED, "# Unified Trading, Account, Reality and Broker Interface (Version 3)", "# Unified Trading, Account, Reality and Broker Interface (Version 4)")],
        audited: &[
            ("api.yaml", "Broker Interface (Version 3)", "Broker Interface (Version 4)"),
            ("unified/family.yaml", "Broker Interface (Version 3)", "Broker Interface (Version 4)"),
        ],
        ..NOTHING
    },
    Step {
        documents: &[(UNIFIED, "## Versioning", "## Maintenance\n\nOrders may fail on Tuesdays from 02:00 to 03:00 UTC.\n\n## Versioning")],
        audited: &[("unified/family.yaml", "    Limits: ", "    Maintenance: new\n    Limits: ")],
        ..NOTHING
    },
    Step {
        documents: &[(CLASSIC, "POST /api/v2/mix/order/click-backhand. Rate", "Deprecated since 2026-10; use Place Order. POST /api/v2/mix/order/click-backhand. Rate")],
        audited: &[("classic/click-backhand.yaml", "\nrate_limit:", "\ndeprecated: { since: 2026-10, use: Place Order }\nrate_limit:")],
        ..NOTHING
    },
    Step {
        documents: &[(UNIFIED, "place-reality-order. Rate limit 10/s/UID. Whitelisted UIDs only.", "place-reality-order. Rate limit 10/s/UID.")],
        audited: &[("unified/place-reality-order.yaml", "whitelisted: true\n", "")],
        ..NOTHING
    },
    // Rules, permissions, headers, errors, the envelope and open questions.
    Step {
        documents: &[(UNIFIED, "7. After errors 40010", "8. A symbol may be suspended.\n7. After errors 40010")],
        audited: &[("unified/place-order.yaml", "a query by clientOid shows its outcome.\n", "a query by clientOid shows its outcome.\n  - { id: suspended, at: \"Place Order, rule 8\", kind: simulated, says: A symbol may be suspended. }\n")],
        ..NOTHING
    },
    Step {
        documents: &[(CLASSIC, "6. Broker rebate: send header X-CHANNEL-API-CODE with the channel code.\n", "")],
        audited: &[("classic/place-order.yaml", "at: Place Order, rule 6; Authentication", "at: Authentication")],
        ..NOTHING
    },
    Step {
        documents: &[
            (UNIFIED, "(read & write) | Place Order, Cancel Order, Batch Order,", "(read & write) | Place Order, Modify Order, Cancel Order, Batch Order,"),
            (UNIFIED, "| UTA trade | Modify Order, Batch Modify Orders |", "| UTA trade | Batch Modify Orders |"),
            (UNIFIED, "on Place Order and Batch Order", "on Place Order, Modify Order and Batch Order"),
        ],
        audited: &[("unified/modify-order.yaml", "permission: UTA trade\n", "permission: UTA trade (read & write)\nheaders: [X-CHANNEL-API-CODE]\n")],
        ..NOTHING
    },
    Step {
        documents: &[(UNIFIED, "Permission for the agent commission operation: not shown.", "Permission for the agent commission operation: Broker (read).")],
        audited: &[
            ("broker/customer-commissions.yaml", "\neffect: read\n", "\neffect: read\npermission: Broker (read)\n"),
            ("broker/customer-commissions.yaml", "  - { says: The permission that the API key needs., at: Authentication }\n", ""),
        ],
        ..NOTHING
    },
    Step {
        documents: &[
            (UNIFIED, "| batch item fails |", "| symbol is suspended | code 40912, msg symbol suspended |\n| batch item fails |"),
            (UNIFIED, "code 45001, msg Unknown error,", "code 45001, msg Unexpected error,"),
        ],
        audited: &[
            ("unified/family.yaml", "  \"40762\":\n", "  \"40912\": { text: symbol suspended, doc: Not now., source: { document: unified-v3, section: Errors } }\n  \"40762\":\n"),
            ("unified/family.yaml", "text: Unknown error", "text: Unexpected error"),
            ("broker/family.yaml", "text: Unknown error", "text: Unexpected error"),
        ],
        ..NOTHING
    },
    Step {
        documents: &[(UNIFIED, "requestTime (integer, Unix ms), data |", "requestTime (integer, Unix ms), traceId (string), data |")],
        audited: &[("api.yaml", "  code: code\n", "  beside: [traceId]\n  code: code\n")],
        ..NOTHING
    },
    Step {
        documents: &[(CLASSIC, "requestTime (string, Unix ms)", "requestTime (string, Unix ms; its greatest age: not shown)")],
        entries: &[("classic/cancel-all-orders.yaml", "\ncontradictions:", "\nnot_shown:\n  - { says: The greatest age of requestTime., at: Cancel All Orders }\n\ncontradictions:")],
        ..NOTHING
    },
    // Words.
    Step {
        documents: &[
            (CLASSIC, "must not be set for market-type orders |", "is ignored for market-type orders |"),
            (UNIFIED, "| Batch size | 20 orders", "\n| Item | Limit |\n|---|---|\n| Batch size | 20 orders"),
        ],
        ..NOTHING
    },
];

#[test]
fn each_line_to_edit_is_named_and_then_nothing_is_left() {
    play(STEPS);
}

/// Rules and open questions name the section as well.
#[test]
fn a_chapter_with_another_heading_is_followed_to_its_end() {
    const CHAPTER: Step = Step {
        documents: &[(UNIFIED, "## Limits", "## Bounds")],
        audited: &[
            ("unified/family.yaml", "    Limits: ", "    Bounds: "),
            ("unified/family.yaml", "    at: Limits, after the table", "    at: Bounds, after the table"),
            ("unified/place-order.yaml", "rule 1; Limits, table", "rule 1; Bounds, table"),
            ("unified/cancel-order.yaml", "Cancel Order; Limits, table", "Cancel Order; Bounds, table"),
        ],
        entries: &[(
            "unified/family.yaml",
            "restrictions follow.\", at: Limits }",
            "restrictions follow.\", at: Bounds }",
        )],
        ..NOTHING
    };
    play(&[CHAPTER]);
}

/// A permission table, or one of errors, may be parted like one of parameters.
#[test]
fn a_table_in_two_parts_lacks_nothing() {
    let Some(subject) = Subject::read() else { return };
    let head = |head: &str| format!("\n\nFurther ones:\n\n{head}\n|---|---|\n");
    let parted = [
        ("| UTA trade (read) |", "| Permission | Operations |"),
        ("| downstream failure |", "| Situation | Response |"),
        ("| ACCESS-PASSPHRASE |", "| Header | Meaning |"),
        ("| effEquity |", "| Field | Meaning |"),
    ];
    for (row, title) in parted {
        let text = &subject.texts[UNIFIED];
        let audit = subject.audit(UNIFIED, &text.replacen(row, &format!("{}{row}", head(title)), 1));
        assert_eq!(audit.differences(), 0, "{row}: {audit}");
    }
}

/// Changes the documents, and follows the report in a copy of the schema.
fn play(steps: &[Step]) {
    let Some(subject) = Subject::read() else { return };
    let mut texts = subject.texts.clone();
    for (document, from, to) in steps.iter().flat_map(|step| step.documents) {
        assert_eq!(texts[*document].matches(from).count(), 1, "{from:?}");
        texts[*document] = texts[*document].replace(from, to);
    }
    let folder = tempfile::tempdir().unwrap();
    for (id, text) in DOCUMENTS.iter().zip(texts) {
        std::fs::write(folder.path().join(format!("{id}.md")), text).unwrap();
    }
    let schema = folder.path().join("schema");
    copy(&root().join("schema"), &schema);
    let read = || Generator::new().schema_dir(&schema).read();
    let audit = || {
        let schema = read().unwrap_or_else(|mistakes| panic!("{mistakes}"));
        schema.audit(&schema.documents(folder.path()).unwrap(), &Documents::default())
    };

    let report = audit().to_string();
    let audited = steps.iter().flat_map(|step| step.audited).copied().collect();
    let entries = steps.iter().flat_map(|step| step.entries).copied().collect();
    let left = edit(&schema, &report, audited, Some(NEAR)).into_iter().chain(edit(&schema, &report, entries, None));
    assert_eq!(left.collect::<Vec<_>>(), [], "not named: {report}");
    // What refers to a mistake is checked once that is corrected.
    let mut left: Vec<Edit> = steps.iter().flat_map(|step| step.checked).copied().collect();
    while let Err(mistakes) = read() {
        let before = left.len();
        left = edit(&schema, &mistakes.to_string(), left, Some(NEAR));
        assert!(left.len() < before, "not named: {left:#?}\n{mistakes}");
    }
    assert_eq!(left, []);
    let accepted = audit();
    assert_eq!(accepted.differences(), 0, "{accepted}");
    accepted.accept().unwrap();
    let (again, out) = (audit(), folder.path().join("src"));
    assert_eq!((again.differences(), again.reviews()), (0, 0), "{again}");
    Generator::new().schema_dir(&schema).out_dir(out).generate().unwrap_or_else(|mistakes| panic!("{mistakes}"));
}

/// Makes the edits that stand at most `near` lines below one that the report names, or in a file that it names; returns
/// the others.
fn edit(schema: &Path, report: &str, edits: Vec<Edit>, near: Option<usize>) -> Vec<Edit> {
    let mut texts: BTreeMap<&str, (String, String)> = BTreeMap::new();
    let mut left = Vec::new();
    for (file, from, to) in edits {
        let (before, now) = texts.entry(file).or_insert_with(|| {
            let text = std::fs::read_to_string(schema.join(file)).unwrap();
            (text.clone(), text)
        });
        assert_eq!(before.matches(from).count(), 1, "{file}: {from:?}");
        let start = before.find(from).unwrap();
        let same = from.bytes().zip(to.bytes()).take_while(|(one, other)| one == other).count();
        let [first, line] = [start, start + same].map(|at| before[..at].matches('\n').count() + 1);
        let is_near = |named: usize| near.is_none_or(|near| (first.saturating_sub(near)..=line).contains(&named));
        if named_lines(report, file).any(is_near) {
            *now = now.replace(from, to);
        } else {
            left.push((file, from, to));
        }
    }
    for (file, (_, now)) in texts {
        std::fs::write(schema.join(file), now).unwrap();
    }
    left
}

/// Returns the lines of a file that a report names.
fn named_lines<'a>(report: &'a str, file: &str) -> impl Iterator<Item = usize> + 'a {
    let mark = format!("/{file}:");
    let starts: Vec<usize> = report.match_indices(&mark).map(|(at, _)| at + mark.len()).collect();
    let number = |at: usize| report[at..].split(|c: char| !c.is_ascii_digit()).next()?.parse().ok();
    starts.into_iter().filter_map(number)
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for path in std::fs::read_dir(from).unwrap().map(|entry| entry.unwrap().path()) {
        let target: PathBuf = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
        } else {
            std::fs::copy(&path, target).unwrap();
        }
    }
}
