//! Changes by hand: each is reported at its line, in its group, beside the file of the schema, and nothing else is.

use crate::{DOCUMENTS, Subject, on_all_cores};

/// A change of one document. A place is a section and a text in it, so that it is found when lines move.
#[derive(Clone, Copy, Debug)]
enum Edit {
    Replace {
        section: &'static str,
        from: &'static str,
        to: &'static str,
    },
    /// A line after the one that has the text.
    Insert {
        section: &'static str,
        after: &'static str,
        line: &'static str,
    },
    Delete {
        section: &'static str,
        line_with: &'static str,
    },
    DeleteSection {
        section: &'static str,
    },
}

const CLASSIC: usize = 0;
const UNIFIED: usize = 1;

struct Case {
    document: usize,
    edit: Edit,
    /// The group it is reported in.
    group: &'static str,
    /// What the line on the schema's side names.
    schema: &'static str,
}

const CHANGED: &str = "changed";
const TWICE: &str = "the document says it twice, and differently";
const NEW: &str = "in the document only";
const GONE: &str = "in the schema only";
const WORDS: &str = "words to review";

const fn replace(
    document: usize,
    section: &'static str,
    from: &'static str,
    to: &'static str,
    group: &'static str,
    schema: &'static str,
) -> Case {
    Case { document, edit: Edit::Replace { section, from, to }, group, schema }
}

const fn insert(
    document: usize,
    section: &'static str,
    after: &'static str,
    line: &'static str,
    group: &'static str,
    schema: &'static str,
) -> Case {
    Case { document, edit: Edit::Insert { section, after, line }, group, schema }
}

const fn delete(
    document: usize,
    section: &'static str,
    line_with: &'static str,
    group: &'static str,
    schema: &'static str,
) -> Case {
    Case { document, edit: Edit::Delete { section, line_with }, group, schema }
}

const CASES: &[Case] = &[
    // Rates: in a section, in the table of limits, of a class of callers, by another scope.
    replace(CLASSIC, "Place Order", "10/s/UID", "12/s/UID", TWICE, "classic/place-order.yaml"),
    replace(CLASSIC, "Reversal", "1/s/UID for", "2/s/UID for", TWICE, "classic/click-backhand.yaml"),
    replace(CLASSIC, "Cancel Order", "10 per second", "20 per second", TWICE, "classic/cancel-order.yaml"),
    replace(CLASSIC, "Flash Close Position", "1 per second", "3 per second", TWICE, "classic/close-positions.yaml"),
    replace(CLASSIC, "Limits", "| Modify Order | 10/s", "| Modify Order | 5/s", TWICE, "classic/modify-order.yaml"),
    replace(UNIFIED, "Place Order", "30/s/UID", "40/s/UID", TWICE, "unified/place-order.yaml"),
    replace(UNIFIED, "Get Open Orders", "20/s/UID", "25/s/UID", TWICE, "unified/unfilled-orders.yaml"),
    replace(UNIFIED, "Get Insider Trades", "1/s/IP", "1/s/UID", TWICE, "unified/inner-trades.yaml"),
    replace(UNIFIED, "Limits", "20/s/UID |\n| Insider", "21/s/UID |\n| Insider", TWICE, "unified/assets.yaml"),
    replace(UNIFIED, "Modify Order", " Rate limit 10/s/UID", "", WORDS, "unified/modify-order.yaml"),
    replace(CLASSIC, "Place Order", "10/s/UID", "20/2s/UID", TWICE, "classic/place-order.yaml"),
    replace(
        CLASSIC,
        "Place Order",
        "Rate limit 10/s/UID",
        "Rate limit: 20 times/1s (UID)",
        TWICE,
        "classic/place-order.yaml",
    ),
    replace(CLASSIC, "Place Order", "10/s/UID", "20 requests per 2 seconds", TWICE, "classic/place-order.yaml"),
    // The unit of times.
    replace(
        CLASSIC,
        "Get Order Fill Details",
        "startTime | no | Unix ms",
        "startTime | no | Unix seconds",
        CHANGED,
        "classic/fills.yaml",
    ),
    replace(
        UNIFIED,
        "Order (Get Order Details; list items of open and history queries have the same fields minus some)",
        "Unix ms strings",
        "Unix second strings",
        CHANGED,
        "unified/types.yaml",
    ),
    replace(UNIFIED, "Reality fill item", "Unix ms", "ISO 8601", CHANGED, "unified/types.yaml"),
    // A bound of how a value is written is none of the value.
    replace(
        UNIFIED,
        "Place Order",
        "required for limit, not",
        "required for limit, at most 8 decimals, not",
        WORDS,
        "unified/place-order.yaml",
    ),
    replace(
        CLASSIC,
        "Place Order",
        "customised order ID |",
        "customised order ID, at most 64 characters |",
        NEW,
        "classic/family.yaml",
    ),
    replace(UNIFIED, "Place Order", "| qty | yes | spot", "| qty | yes | at least 5; spot", NEW, "place-order.yaml"),
    replace(
        CLASSIC,
        "Get Historical Transaction Details",
        "orderId, symbol,",
        "orderId, symbol (default BTCUSDT),",
        NEW,
        "classic/fill-history.yaml",
    ),
    replace(UNIFIED, "What the service does", "code 00000", "code 0", NEW, "unified/family.yaml"),
    replace(UNIFIED, "Get Order Details", "(one required", "(exactly one required", WORDS, "unified/order-info.yaml"),
    replace(UNIFIED, "Place Order", "yes, no (default no)", "YES, NO (default NO)", CHANGED, "unified/types.yaml"),
    replace(
        CLASSIC,
        "Place Order",
        "customised order ID |",
        "customised order ID, 1 to 64 characters |",
        NEW,
        "classic/family.yaml",
    ),
    replace(
        UNIFIED,
        "Order (Get Order Details; list items of open and history queries have the same fields minus some)",
        "post_only, rpi |",
        "post_only, rpi (deprecated) |",
        WORDS,
        "unified/types.yaml",
    ),
    // Titles of columns that were exchanged above cells that were not.
    replace(
        CLASSIC,
        "Modify Order",
        "| Parameter | Required | Rules |",
        "| Parameter | Rules | Required |",
        WORDS,
        "classic/modify-order.yaml",
    ),
    // What stands in backticks means itself.
    replace(
        UNIFIED,
        "Modify Order",
        "at most 18 digits",
        "`no more than` 18 digits",
        WORDS,
        "unified/modify-order.yaml",
    ),
    replace(
        CLASSIC,
        "Get Order Fill Details",
        "at most three months;",
        "at most `three` months;",
        WORDS,
        "classic/fills.yaml",
    ),
    replace(
        CLASSIC,
        "Cancel All Orders",
        "string, Unix ms)",
        "string, Unix `milliseconds`)",
        WORDS,
        "cancel-all-orders.yaml",
    ),
    // Bounds and defaults of parameters.
    replace(CLASSIC, "Get Order Fill Details", "maximum 100", "maximum 200", TWICE, "classic/fills.yaml"),
    replace(CLASSIC, "Get Order Fill Details", "default 100", "default 50", TWICE, "classic/fills.yaml"),
    replace(CLASSIC, "Get Pending Orders", "and maximum 100", "and maximum 500", TWICE, "classic/orders-pending.yaml"),
    replace(
        CLASSIC,
        "Get Pending Orders",
        "with status live",
        "with status partially_filled",
        CHANGED,
        "classic/orders-pending.yaml",
    ),
    replace(CLASSIC, "Place Order", "default NO", "default YES", CHANGED, "classic/place-order.yaml"),
    replace(
        CLASSIC,
        "Place Order",
        "gtc (default), post_only",
        "gtc, post_only (default)",
        CHANGED,
        "classic/types.yaml",
    ),
    replace(CLASSIC, "Batch Order", "at most 50 items", "at most 40 items", TWICE, "classic/batch-place-order.yaml"),
    replace(CLASSIC, "Batch Cancel", "at most 50", "at most 60", TWICE, "classic/batch-cancel-orders.yaml"),
    replace(UNIFIED, "Batch Order", "at most 20 orders", "at most 25 orders", TWICE, "unified/place-batch.yaml"),
    replace(UNIFIED, "Get Agent Direct Commissions", "maximum 1000", "maximum 500", TWICE, "customer-commissions.yaml"),
    replace(UNIFIED, "Get Insider Trades", "default 20", "default 10", TWICE, "unified/inner-trades.yaml"),
    replace(
        UNIFIED,
        "Place Order",
        "crossed (default), isolated",
        "crossed, isolated (default)",
        CHANGED,
        "unified/place-order.yaml",
    ),
    replace(UNIFIED, "Place Order", "(default no)", "(default yes)", CHANGED, "unified/place-order.yaml"),
    replace(
        UNIFIED,
        "Cancel Reality Order",
        "SPOT default, MARGIN",
        "SPOT, MARGIN default",
        CHANGED,
        "place-reality-order.yaml",
    ),
    replace(UNIFIED, "Modify Order", "at most 18 digits", "at most 16 digits", TWICE, "unified/modify-order.yaml"),
    replace(UNIFIED, "Limits", "1 to 32", "1 to 64", CHANGED, "unified/types.yaml"),
    replace(UNIFIED, "Limits", "colon, slash", "slash", CHANGED, "unified/types.yaml"),
    replace(UNIFIED, "Limits", "400 across all spot", "500 across all spot", CHANGED, "unified/family.yaml"),
    replace(UNIFIED, "Limits", "20 orders (place", "30 orders (place", TWICE, "unified/"),
    // Values.
    replace(CLASSIC, "Place Order", "cancel_maker, cancel_both", "cancel_maker", GONE, "classic/types.yaml"),
    replace(CLASSIC, "Place Order", "isolated, crossed", "isolated, crossed, portfolio", NEW, "classic/types.yaml"),
    replace(CLASSIC, "Flash Close Position", "long, short)", "long, short, both)", NEW, "classic/types.yaml"),
    replace(CLASSIC, "Order (response of Get Order Detail)", "WEB, API", "WEB, H5, API", NEW, "classic/types.yaml"),
    replace(
        CLASSIC,
        "Order (response of Get Order Detail)",
        "mark_price (mark price)",
        "last_price (mark price)",
        CHANGED,
        "classic/types.yaml",
    ),
    replace(
        CLASSIC,
        "Order (response of Get Order Detail)",
        "profit_chase, loss_chase",
        "loss_chase",
        GONE,
        "classic/types.yaml",
    ),
    replace(CLASSIC, "Get History Order", "reverse, trader_reverse", "reverse", GONE, "classic/orders-history.yaml"),
    replace(
        UNIFIED,
        "What the service does",
        "SPOT, MARGIN, USDT",
        "SPOT, MARGIN, OPTIONS, USDT",
        NEW,
        "unified/types.yaml",
    ),
    replace(UNIFIED, "Place Order", "fok, gtc, post_only, rpi", "fok, gtc, rpi", GONE, "unified/types.yaml"),
    replace(UNIFIED, "Insider trade item", "J other", "K other", CHANGED, "unified/types.yaml"),
    replace(UNIFIED, "Reality fill item", "(buy, sell)", "(buy, sell, swap)", NEW, "unified/types.yaml"),
    replace(
        UNIFIED,
        "Order (Get Order Details; list items of open and history queries have the same fields minus some)",
        "normal_cancel",
        "normal_cancel, stp_cancel",
        NEW,
        "unified/types.yaml",
    ),
    // Parameters.
    replace(CLASSIC, "Modify Order", "| newSize |", "| newQuantity |", CHANGED, "classic/modify-order.yaml"),
    replace(
        CLASSIC,
        "Cancel Order",
        "marginCoin (optional",
        "coinOfMargin (optional",
        CHANGED,
        "classic/cancel-order.yaml",
    ),
    replace(CLASSIC, "Reversal", "size | no", "size | yes", CHANGED, "classic/click-backhand.yaml"),
    replace(
        CLASSIC,
        "Flash Close Position",
        "symbol (optional)",
        "symbol (required)",
        CHANGED,
        "classic/close-positions.yaml",
    ),
    replace(
        CLASSIC,
        "Get Order Detail",
        "productType (required)",
        "productType (optional)",
        CHANGED,
        "classic/detail.yaml",
    ),
    replace(
        UNIFIED,
        "Cancel All Orders",
        "symbol (optional; when",
        "symbol (required; when",
        CHANGED,
        "cancel-symbol-order.yaml",
    ),
    replace(
        UNIFIED,
        "Get Order History",
        "symbol, startTime",
        "symbol, baseCoin, startTime",
        NEW,
        "unified/history-orders.yaml",
    ),
    replace(UNIFIED, "Get Fill History", "orderId, startTime", "startTime", GONE, "unified/fills.yaml"),
    insert(
        CLASSIC,
        "Place Order",
        "| stpMode |",
        "| icebergSize | no | visible part |",
        NEW,
        "classic/place-order.yaml",
    ),
    delete(UNIFIED, "Place Order", "| autoBorrow |", GONE, "unified/place-order.yaml"),
    replace(UNIFIED, "Get Order Details", "orderId wins", "clientOid wins", CHANGED, "unified/order-info.yaml"),
    replace(CLASSIC, "Cancel Order", "one required; ", "", CHANGED, "classic/"),
    replace(CLASSIC, "Modify Order", "0 deletes it", "-1 deletes it", CHANGED, "classic/modify-order.yaml"),
    replace(CLASSIC, "Place Order", "price | conditional", "price | yes", CHANGED, "classic/types.yaml"),
    replace(
        UNIFIED,
        "Place Reality Order",
        "price (required for limit)",
        "price (required)",
        CHANGED,
        "unified/types.yaml",
    ),
    replace(UNIFIED, "Batch Order", "side (required)", "side (optional)", CHANGED, "unified/place-batch.yaml"),
    replace(
        UNIFIED,
        "Place Reality Order",
        "market buy in quote coin",
        "market buy in base coin",
        CHANGED,
        "place-reality-order.yaml",
    ),
    replace(UNIFIED, "Modify Order", "requestId (number", "requestId (string", CHANGED, "unified/modify-order.yaml"),
    replace(
        UNIFIED,
        "Get Agent Direct Commissions",
        "both set or both blank",
        "independent of each other",
        GONE,
        "customer-commissions.yaml",
    ),
    replace(UNIFIED, "Get Agent Direct Commissions", "_DMCBL (Coin-M", "_DMCBLX (Coin-M", CHANGED, "broker/types.yaml"),
    replace(CLASSIC, "What the service does", "requestTime (integer", "serverTime (integer", CHANGED, "api.yaml"),
    replace(
        CLASSIC,
        "Limits",
        "at most 50 orders per",
        "at most 45 orders per",
        TWICE,
        "classic/batch-place-order.yaml",
    ),
    replace(
        CLASSIC,
        "Batch result items",
        "orderId, clientOid, errorMsg, errorCode",
        "orderId, clientOid, errorText, errorCode",
        CHANGED,
        "classic/types.yaml",
    ),
    replace(
        CLASSIC,
        "Fill record (Get Order Fill Details, Get Historical Transaction Details)",
        "| profit |",
        "| pnl |",
        CHANGED,
        "classic/types.yaml",
    ),
    replace(UNIFIED, "Commission item (agent)", "feePaid, ", "feeSettled, ", CHANGED, "broker/types.yaml"),
    replace(
        CLASSIC,
        "States and transitions",
        "| live or partially_filled (pending)",
        "| live (pending)",
        GONE,
        "classic/family.yaml",
    ),
    replace(
        UNIFIED,
        "States and transitions",
        "Cancel Order, Batch Cancel, Cancel All Orders",
        "Cancel Order, Cancel All Orders",
        GONE,
        "unified/family.yaml",
    ),
    replace(
        UNIFIED,
        "Authentication",
        "Modify Order, Batch Modify Orders |",
        "Modify Order |",
        GONE,
        "batch-modify-order.yaml",
    ),
    // Endpoints and operations.
    replace(CLASSIC, "Get Order Detail", "order/detail", "order/details", CHANGED, "classic/detail.yaml"),
    replace(UNIFIED, "Get Account Assets", "GET /api", "POST /api", CHANGED, "unified/assets.yaml"),
    insert(
        CLASSIC,
        "Cancel All Orders",
        "Parameters:",
        "\n### Freeze Order\n\nPOST /api/v2/mix/order/freeze-order. Rate limit 3/s/UID.\n\nParameters: symbol (required).",
        NEW,
        "schema",
    ),
    Case {
        document: UNIFIED,
        edit: Edit::DeleteSection { section: "Get Reality Fills" },
        group: GONE,
        schema: "unified/reality-fills.yaml",
    },
    replace(UNIFIED, "Get Reality Fills", "Whitelisted; API", "API", GONE, "unified/reality-fills.yaml"),
    replace(CLASSIC, "Reversal", "### Reversal", "### Click Backhand", CHANGED, "classic/click-backhand.yaml"),
    replace(CLASSIC, "Classic Futures Trade Interface (Version 2)", "(Version 2)", "(Version 4)", CHANGED, "api.yaml"),
    replace(UNIFIED, "Get Account Assets", "20/s/UID.", "20/s/UID. Whitelisted UIDs only.", NEW, "unified/assets.yaml"),
    // Windows.
    replace(
        CLASSIC,
        "Get Historical Transaction Details",
        "at most one week",
        "at most two weeks",
        TWICE,
        "classic/fill-history.yaml",
    ),
    replace(
        CLASSIC,
        "Get Historical Transaction Details",
        "defaults one week",
        "defaults three days",
        CHANGED,
        "classic/fill-history.yaml",
    ),
    replace(CLASSIC, "Get History Order", "within 90 days", "within 60 days", TWICE, "classic/orders-history.yaml"),
    replace(
        CLASSIC,
        "Limits",
        "at most three months |\n| Historical",
        "at most six months |\n| Historical",
        TWICE,
        "classic/fills.yaml",
    ),
    replace(UNIFIED, "Get Order History", "90-day", "180-day", TWICE, "unified/history-orders.yaml"),
    replace(UNIFIED, "Get Reality Fills", "last 3 months", "last 6 months", TWICE, "unified/reality-fills.yaml"),
    replace(UNIFIED, "Limits", "last 3 months", "last 6 months", TWICE, "unified/reality-fills.yaml"),
    // Answers and records.
    replace(CLASSIC, "Get Order Fill Details", "endId (last", "lastId (last", CHANGED, "classic/fills.yaml"),
    replace(
        UNIFIED,
        "Get Open Orders",
        "list (orders), cursor",
        "list (orders), nextPage",
        CHANGED,
        "unified/unfilled-orders.yaml",
    ),
    replace(CLASSIC, "Batch Order", "result (boolean", "outcome (boolean", CHANGED, "classic/types.yaml"),
    replace(
        UNIFIED,
        "Batch Cancel",
        "array of items orderId, clientOid, code, msg",
        "array of items orderId, clientOid, code",
        GONE,
        "unified/types.yaml",
    ),
    replace(
        UNIFIED,
        "Fill record (Get Fill History)",
        "execPrice, execQty",
        "execPrice, execQty, execFee",
        NEW,
        "unified/types.yaml",
    ),
    delete(
        CLASSIC,
        "Fill record (Get Order Fill Details, Get Historical Transaction Details)",
        "| profit |",
        GONE,
        "classic/types.yaml",
    ),
    insert(
        CLASSIC,
        "Order (response of Get Order Detail)",
        "| fee |",
        "| rebate | share of the fee |",
        NEW,
        "classic/types.yaml",
    ),
    replace(
        CLASSIC,
        "Order list item (Get Pending Orders, Get History Order)",
        "reduceOnly, posAvg",
        "posAvg",
        GONE,
        "classic/types.yaml",
    ),
    replace(
        CLASSIC,
        "Batch result items",
        "orderId, clientOid, symbol",
        "orderId, clientOid",
        GONE,
        "classic/types.yaml",
    ),
    replace(
        UNIFIED,
        "Account assets",
        "| imr | initial margin in USD",
        "| imr | initial margin in USDT",
        CHANGED,
        "unified/types.yaml",
    ),
    replace(
        UNIFIED,
        "Order (Get Order Details; list items of open and history queries have the same fields minus some)",
        "unit base coin",
        "unit quote coin",
        CHANGED,
        "unified/types.yaml",
    ),
    // Errors, permissions, headers.
    insert(
        UNIFIED,
        "Errors",
        "| unknown failure",
        "| order not found | code 40768, msg Order does not exist |",
        NEW,
        "/family.yaml",
    ),
    replace(UNIFIED, "Errors", "Unknown error", "Unexpected error", CHANGED, "/family.yaml"),
    replace(CLASSIC, "Errors", "sample code 43001", "sample code 43025", CHANGED, "classic/family.yaml"),
    replace(
        UNIFIED,
        "Authentication",
        "Get Fill History, Get Reality Fills",
        "Get Reality Fills",
        GONE,
        "unified/fills.yaml",
    ),
    replace(
        UNIFIED,
        "Authentication",
        "| UTA mgt. (read) |",
        "| UTA mgt. (read & write) |",
        CHANGED,
        "unified/assets.yaml",
    ),
    replace(CLASSIC, "Authentication", "Reversal, Batch", "Batch", TWICE, "classic/click-backhand.yaml"),
    replace(UNIFIED, "Batch Order", " Header X-CHANNEL-API-CODE applies.", "", WORDS, "unified/place-batch.yaml"),
    replace(UNIFIED, "Authentication", "| ACCESS-PASSPHRASE |", "| ACCESS-PHRASE |", CHANGED, "api.yaml"),
    // States.
    replace(
        UNIFIED,
        "States and transitions",
        "filled, cancelled.",
        "filled, cancelled, expired.",
        NEW,
        "unified/family.yaml",
    ),
    replace(
        CLASSIC,
        "States and transitions",
        "Cancel All Orders | order is pending | canceled",
        "Cancel All Orders | order is pending | filled",
        CHANGED,
        "classic/family.yaml",
    ),
    insert(
        UNIFIED,
        "States and transitions",
        "| filled |",
        "| live | expiry | time over | cancelled | none |",
        NEW,
        "unified/family.yaml",
    ),
    // What is left open.
    replace(CLASSIC, "Reversal", "; whether the case matters: not shown", "", GONE, "classic/click-backhand.yaml"),
    delete(UNIFIED, "Events", "Events:", GONE, "unified/family.yaml"),
    replace(UNIFIED, "Get Insider Trades", "cursor.", "cursor. Order of the list: not shown.", NEW, "schema"),
    replace(CLASSIC, "Events", "not shown", "order updates are pushed", GONE, "classic/family.yaml"),
    replace(
        CLASSIC,
        "Batch Order",
        "which are required: not shown",
        "which are required: size, side",
        GONE,
        "batch-place-order.yaml",
    ),
    replace(UNIFIED, "Limits", " The threshold value: not shown.", "", GONE, "unified/family.yaml"),
    // Words that no reader knows.
    replace(CLASSIC, "Place Order", "limit occupying 70", "limit occupying 60", WORDS, "classic/place-order.yaml"),
    replace(UNIFIED, "States and transitions", "only 2 hours", "only 4 hours", WORDS, "unified/family.yaml"),
    replace(UNIFIED, "What the service does", "<BASE>USD_CM", "<BASE>USD_NEW", CHANGED, "unified/types.yaml"),
    insert(CLASSIC, "Place Order", "6. Broker", "7. Orders of a closed pair are refused.", NEW, "schema"),
    replace(
        CLASSIC,
        "Classic Futures Trade Interface (Version 2)",
        "order-management",
        "trading",
        WORDS,
        "classic/family.yaml",
    ),
    replace(CLASSIC, "Place Order", "trading pair", "the pair", WORDS, "classic/place-order.yaml"),
];

/// The section's bytes, from its heading to the next one.
fn section(text: &str, heading: &str) -> std::ops::Range<usize> {
    let start = text
        .match_indices('#')
        .map(|(at, _)| at)
        .find(|at| {
            let line = text[*at..].lines().next().unwrap();
            (*at == 0 || text.as_bytes()[*at - 1] == b'\n') && line.trim_start_matches('#').trim() == heading
        })
        .unwrap_or_else(|| panic!("no section {heading}"));
    let end = text[start + 1..].find("\n#").map_or(text.len(), |at| start + 1 + at);
    start..end
}

/// The changed text, and the line of the change.
fn apply(text: &str, edit: Edit) -> (String, usize) {
    let find = |of: &str, what: &str| {
        let range = section(text, of);
        range.start + text[range.clone()].find(what).unwrap_or_else(|| panic!("`{what}` is not in {of}"))
    };
    let line_of = |at: usize| text[..at].matches('\n').count() + 1;
    let line_start = |at: usize| text[..at].rfind('\n').map_or(0, |at| at + 1);
    let line_end = |at: usize| text[at..].find('\n').map_or(text.len(), |end| at + end + 1);
    match edit {
        Edit::Replace { section, from, to } => {
            let at = find(section, from);
            (format!("{}{to}{}", &text[..at], &text[at + from.len()..]), line_of(at))
        }
        Edit::Insert { section, after, line } => {
            let at = line_end(find(section, after));
            let skipped = line.len() - line.trim_start().len() + 2 * usize::from(line.starts_with('\n'));
            (format!("{}{line}\n{}", &text[..at], &text[at..]), line_of(at) + skipped.min(3))
        }
        Edit::Delete { section: heading, line_with } => {
            let (at, section) = (find(heading, line_with), section(text, heading));
            let range = section.start + text[section.clone()].find('\n').unwrap()..section.end;
            let is_all = text[range].trim() == text[line_start(at)..line_end(at)].trim();
            // The section is empty then.
            let line = if is_all { line_of(section.start) } else { line_of(at) };
            (format!("{}{}", &text[..line_start(at)], &text[line_end(at)..]), line)
        }
        Edit::DeleteSection { section: heading } => {
            let range = section(text, heading);
            (format!("{}{}", &text[..range.start], &text[range.end + 1..]), line_of(range.start))
        }
    }
}

/// The lines of a report with their groups.
fn reported(report: &str) -> Vec<(String, String)> {
    let mut group = String::new();
    let mut lines = Vec::new();
    for line in report.lines().take_while(|line| !line.is_empty()) {
        match line.strip_prefix("  ") {
            // What is set in further stands beside a line.
            Some(line) if line.starts_with(' ') => {}
            Some(line) => lines.push((group.clone(), line.to_owned())),
            None => group = line.trim_end_matches(':').to_owned(),
        }
    }
    if DOCUMENTS.iter().any(|id| report.starts_with(id)) { Vec::new() } else { lines }
}

#[test]
fn every_change_is_reported_at_its_line_and_nothing_else_is() {
    let Some(subject) = Subject::read() else { return };
    let failures = on_all_cores(CASES, |case| {
        let (text, line) = apply(&subject.texts[case.document], case.edit);
        let report = subject.audit(case.document, &text).to_string();
        let found = reported(&report);
        let place = format!("{}.md:{line}:", DOCUMENTS[case.document]);
        let is_reported = found
            .iter()
            .any(|(group, line)| group == case.group && line.contains(&place) && line.contains(case.schema));
        let others: Vec<_> = found.iter().filter(|(_, line)| !line.contains(&place)).collect();
        let lines: Vec<String> = found.iter().map(|(group, line)| format!("  [{group}] {line}")).collect();
        (!is_reported || !others.is_empty()).then(|| {
            let (edit, group, schema, lines) = (case.edit, case.group, case.schema, lines.join("\n"));
            format!("{edit:?}\n  expected [{group}] at {place} with {schema}\n{lines}")
        })
    });
    let failures: Vec<String> = failures.into_iter().flatten().collect();
    assert!(CASES.len() >= 40);
    assert!(failures.is_empty(), "{} of {} cases:\n{}", failures.len(), CASES.len(), failures.join("\n\n"));
}

/// Where the lines of a report stand, with their groups.
fn placed(subject: &Subject, edit: Edit) -> Vec<(String, String)> {
    let (text, _) = apply(&subject.texts[CLASSIC], edit);
    reported(&subject.audit(CLASSIC, &text).to_string())
}

#[test]
fn an_operation_that_is_gone_is_reported_once_where_it_stood_last() {
    let Some(subject) = Subject::read() else { return };
    let lines = placed(&subject, Edit::DeleteSection { section: "Cancel All Orders" });
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert_eq!(lines[0].0, GONE);
}

#[test]
fn an_inserted_rule_is_new_and_those_below_have_another_number() {
    let Some(subject) = Subject::read() else { return };
    let to = "2. size is required when productType is COIN-FUTURES.\n3. One-way mode without";
    let edit = Edit::Replace { section: "Reversal", from: "2. One-way mode without", to };
    let (text, line) = apply(&subject.texts[CLASSIC], edit);
    let renumbered = text
        .replace("\n3. Hedge", "\n4. Hedge")
        .replace("\n4. Hedge mode with size equal", "\n5. Hedge mode with size equal");
    let renumbered =
        renumbered.replace("\n5. Header X-CHANNEL-API-CODE applies as", "\n6. Header X-CHANNEL-API-CODE applies as");
    let documents = |text: &str| tradeapi_gen::Documents::one(DOCUMENTS[CLASSIC], text);
    let report = subject.auditor.audit(&documents(&renumbered), &documents(&subject.texts[CLASSIC])).to_string();
    let lines = reported(&report);
    let new: Vec<_> = lines.iter().filter(|(_, line)| line.contains("new: size is required")).collect();
    assert_eq!(new.len(), 1, "{report}");
    assert!(new[0].1.contains(&format!("{}.md:{line}:", DOCUMENTS[CLASSIC])), "{report}");
    let moved = lines.iter().filter(|(_, line)| line.contains("has another number: ")).count();
    assert_eq!(moved, 3, "{report}");
}

#[test]
fn the_fields_of_an_answer_are_read_from_a_table_too() {
    let Some(subject) = Subject::read() else { return };
    let table = |second: &str| {
        format!(
            "Response data:\n\n| Field | Meaning |\n|---|---|\n| orderId | order ID |\n| {second} | customised ID |\n"
        )
    };
    let differences = |second: &str| {
        let text = &subject.texts[CLASSIC];
        let at = section(text, "Reversal");
        let changed = text[at.clone()].replace("Response data: orderId, clientOid.\n", &table(second));
        let audit = subject.audit(CLASSIC, &format!("{}{changed}{}", &text[..at.start], &text[at.end..]));
        (audit.differences(), audit.to_string())
    };
    let (same, report) = differences("clientOid");
    assert_eq!(same, 0, "{report}");
    let (other, report) = differences("customId");
    assert_eq!(other, 1, "{report}");
}
