//! The changes.

mod bounds;
mod forms;

use super::{Case, Edit};
pub(super) use bounds::BOUNDS;
pub(super) use forms::FORMS;

pub(super) const CLASSIC: usize = 0;
pub(super) const UNIFIED: usize = 1;

pub(super) const CHANGED: &str = "changed";
pub(super) const TWICE: &str = "the document contradicts itself";
pub(super) const NEW: &str = "in the document only";
pub(super) const GONE: &str = "in the schema only";
const WORDS: &str = "words to review";

const FILL: &str = "Fill record (Get Order Fill Details, Get Historical Transaction Details)";
const ITS_VALUE: &str =
    "\n\n```json\n{\"category\": \"SPOT\", \"symbol\": \"A\", \"qty\": \"1\", \"side\": \"long\"}\n```";
const ITS_TYPE: &str = "\n\n```json\n{\"category\": \"SPOT\", \"symbol\": \"A\", \"qty\": 1, \"side\": \"buy\"}\n```";
const ITS_NAME: &str = "\n\n```json\n{\"category\": \"SPOT\", \"symbol\": \"A\", \"quantity\": \"1\"}\n```";
const AGREES: &str = "\n\n```json\n{\"category\": \"SPOT\", \"symbol\": \"A\", \"qty\": \"1\", \"side\": \"buy\"}\n```";

pub(super) const CASES: &[Case] = &[
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
    replace(CLASSIC, "Modify Order", "Rate limit 10/s.", "Rate limit 600/1m/UID.", TWICE, "classic/modify-order.yaml"),
    replace(CLASSIC, "Modify Order", "Rate limit 10/s.", "Rate limit 600/min.", TWICE, "classic/modify-order.yaml"),
    // Values on lines of their own within a cell.
    replace(UNIFIED, "Place Order", "| buy, sell |", "| buy<br/>sell<br>hold |", NEW, "unified/types.yaml"),
    replace(UNIFIED, "Place Order", "cancel_taker, cancel_maker", "<br>cancel_taker<br>", TWICE, "unified/types.yaml"),
    // A default and a maximum of their own, and bounds in other words.
    replace(
        UNIFIED,
        "Get Open Orders",
        "default and maximum 100",
        "default 100 and maximum 1000",
        TWICE,
        "unified/unfilled-orders.yaml",
    ),
    replace(UNIFIED, "Batch Order", "at most 20 orders", "fewer than 20 orders", TWICE, "unified/place-batch.yaml"),
    replace(
        UNIFIED,
        "Modify Order",
        "takeProfit, stopLoss (empty keeps existing; 0 cancels)",
        "takeProfit, stopLoss (empty cancels; 0 keeps existing)",
        CHANGED,
        "unified/modify-order.yaml",
    ),
    replace(
        UNIFIED,
        "Place Order",
        "| yes, no (default no) |",
        "| Whether it only reduces: yes or no. Default: yes |",
        CHANGED,
        "unified/place-order.yaml",
    ),
    // The types of fields.
    replace(CLASSIC, FILL, "totalFee (strings)", "totalFee (numbers)", CHANGED, "classic/types.yaml"),
    replace(CLASSIC, FILL, "array of objects", "object", CHANGED, "classic/types.yaml"),
    replace(UNIFIED, "Fill record (Get Fill History)", "(all strings)", "(all numbers)", CHANGED, "unified/types.yaml"),
    replace(
        UNIFIED,
        "Order (Get Order Details; list items of open and history queries have the same fields minus some)",
        "order IDs (strings)",
        "order IDs (numbers)",
        CHANGED,
        "unified/types.yaml",
    ),
    // Two operations whose words together are those of a third.
    replace(
        UNIFIED,
        "Authentication",
        "on Place Order and Batch Order",
        "on Place Order, Modify Order and Batch Order",
        NEW,
        "unified/modify-order.yaml",
    ),
    // The unit of times.
    replace(UNIFIED, "Authentication", "Unix milliseconds)", "Unix seconds)", CHANGED, "api.yaml"),
    replace(UNIFIED, "What the service does", "integer, Unix ms", "integer, Unix s", CHANGED, "api.yaml"),
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
    // One unit for several names of a list.
    replace(
        UNIFIED,
        "Get Open Orders",
        "startTime, endTime (Unix ms)",
        "startTime, endTime (Unix seconds)",
        CHANGED,
        "unified/unfilled-orders.yaml:15",
    ),
    replace(
        UNIFIED,
        "Get Fill History",
        "startTime, endTime (Unix ms",
        "startTime, endTime (timestamp in seconds",
        CHANGED,
        "unified/fills.yaml:15",
    ),
    replace(
        CLASSIC,
        "Cancel All Orders",
        "valid window in Unix ms",
        "valid window in seconds",
        CHANGED,
        "classic/cancel-all-orders.yaml:15",
    ),
    // The type of one parameter, and of all.
    replace(
        CLASSIC,
        "Cancel All Orders",
        "requestTime (string",
        "requestTime (integer",
        CHANGED,
        "classic/cancel-all-orders.yaml:14",
    ),
    replace(
        UNIFIED,
        "What the service does",
        "except requestId (number)",
        "except requestId and limit (numbers)",
        CHANGED,
        "unified/unfilled-orders.yaml",
    ),
    replace(
        UNIFIED,
        "What the service does",
        "are strings, except requestId (number)",
        "are strings",
        TWICE,
        "unified/modify-order.yaml",
    ),
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
    replace(UNIFIED, "Place Order", "fok, gtc, post_only, rpi", "fok, gtc, rpi", TWICE, "unified/types.yaml"),
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
    replace(UNIFIED, "Modify Order", "requestId (number", "requestId (string", TWICE, "unified/modify-order.yaml"),
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
    replace(
        CLASSIC,
        "Batch Cancel",
        "required when orderIdList is set",
        "always required",
        CHANGED,
        "batch-cancel-orders.yaml:21",
    ),
    replace(CLASSIC, "Get Order Detail", "(one required)", "(both required)", CHANGED, "classic/types.yaml"),
    // A footnote mark is not part of a name.
    replace(UNIFIED, "Place Order", "| autoBorrow |", "| autoBorrow\\* |", WORDS, "unified/place-order.yaml"),
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
    // The endpoint need not come first, nor without a label or a host.
    replace(UNIFIED, "Get Order Details", "GET /api", "HTTP request: GET /api", WORDS, "unified/order-info.yaml"),
    replace(UNIFIED, "Get Order Details", "GET /api", "GET {base_url}/api", WORDS, "unified/order-info.yaml"),
    // A mark of a footnote is not part of the name.
    replace(UNIFIED, "Place Order", "| autoBorrow |", "| autoBorrow[^1] |", WORDS, "unified/place-order.yaml"),
    replace(
        UNIFIED,
        "Get Fill History",
        "GET /api",
        "This endpoint is deprecated. GET /api",
        NEW,
        "unified/fills.yaml",
    ),
    // An example that contradicts the parameters, in a value, a type and a name; one that agrees is to be read.
    example(ITS_VALUE, NEW, "unified/types.yaml"),
    example(ITS_TYPE, CHANGED, "unified/place-order.yaml:16"),
    example(ITS_NAME, NEW, "unified/place-order.yaml"),
    example(AGREES, WORDS, "unified/place-order.yaml"),
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
    insert(
        UNIFIED,
        "Errors",
        "| unknown failure",
        "| rate exceeded | code 429, msg Too many requests |",
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

const fn example(line: &'static str, group: &'static str, schema: &'static str) -> Case {
    insert(UNIFIED, "Place Order", "Response data:", line, group, schema)
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
