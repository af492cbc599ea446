//! Changes of what stands beside or around what was stated: other rates, other statuses, samples, longer lists.

use super::super::Case;
use super::{CHANGED, CLASSIC, NEW, TWICE, UNIFIED, WORDS, insert, replace};

const AN_ANSWER: &str =
    "\n\n```json\n{\"orderId\": \"1\", \"clientOid\": \"a\", \"changedAt\": \"1700000000000\"}\n```";

const NOTE: &str = "\n\n\n[^1]: 30/s/UID for market makers";

pub(crate) const FORMS: &[Case] = &[
    // Rates of callers that the schema does not know, and of other days.
    replace(
        UNIFIED,
        "Place Order",
        "30/s/UID for whitelisted users",
        "30/s/UID for whitelisted users, 50/s/UID for liquidity providers",
        NEW,
        "unified/place-order.yaml",
    ),
    replace(
        UNIFIED,
        "Get Fill History",
        "20/s/UID",
        "20/s/UID; from 2027-03-01, 10/s/UID",
        WORDS,
        "unified/fills.yaml",
    ),
    replace(
        UNIFIED,
        "Get Fill History",
        "20/s/UID",
        "20/s/UID until 1 March 2027, then 10/s/UID",
        WORDS,
        "unified/fills.yaml",
    ),
    // What is about both of two parameters is no value.
    replace(
        CLASSIC,
        "Get Pending Orders",
        "at most three months)",
        "at most three months; both or neither)",
        WORDS,
        "classic/orders-pending.yaml",
    ),
    replace(
        CLASSIC,
        "Batch Cancel",
        "items orderId and clientOid)",
        "items orderId, clientOid and reason)",
        NEW,
        "classic/batch-cancel-orders.yaml",
    ),
    // The same answer and the same code beside other words.
    replace(
        UNIFIED,
        "Get Reality Fills",
        "array of Reality fill items",
        "array of Reality fill items, or null",
        WORDS,
        "unified/reality-fills.yaml",
    ),
    replace(UNIFIED, "Errors", "code 40010, msg", "HTTP 504, code 40010, msg", WORDS, "unified/family.yaml"),
    insert(UNIFIED, "Cancel Order", "POST /api", AN_ANSWER, WORDS, "unified/cancel-order.yaml"),
    // A parameter in the place of another one, of which nothing is left, is no other name for it.
    replace(
        CLASSIC,
        "Place Order",
        "| stpMode | no | none (default), cancel_taker, cancel_maker, cancel_both |",
        "| timeout | no | validity in seconds |",
        NEW,
        "parameter timeout optional",
    ),
    // The length of a text belongs to its parameter, and a rate to the callers that it names.
    replace(
        UNIFIED,
        "Get Insider Trades",
        "company code)",
        "company code, at most 8 characters)",
        NEW,
        "unified/types.yaml:259",
    ),
    replace(
        UNIFIED,
        "Cancel Order",
        "Rate limit 10/s/UID.",
        "Rate limit 10/s/UID; 20/s/UID for whitelisted users.",
        NEW,
        "unified/cancel-order.yaml",
    ),
    replace(
        CLASSIC,
        "Batch Order",
        "stpMode (strings",
        "stpMode, closeAll (strings",
        NEW,
        "parameter orderList[].closeAll",
    ),
    replace(CLASSIC, "Place Order", "| size | yes |", "| size[^1] | yes |", WORDS, "classic/place-order.yaml"),
    // What no longer holds stands beside what does.
    replace(UNIFIED, "Get Order Details", "20/s/UID", "20/s/UID (formerly 10/s/UID)", WORDS, "unified/order-info.yaml"),
    replace(UNIFIED, "Get Order Details", "20/s/UID", "30/s/UID (it was 20/s/UID)", TWICE, "unified/order-info.yaml"),
    replace(
        UNIFIED,
        "Get Order Details",
        "20/s/UID",
        "30/s/UID, previously 20/s/UID",
        TWICE,
        "unified/order-info.yaml",
    ),
    // Rates by level, in a section and in the table of limits.
    replace(UNIFIED, "Get Order Details", "20/s/UID", "20/s/UID; VIP 1: 30/s/UID", NEW, "unified/order-info.yaml"),
    replace(UNIFIED, "Get Order Details", "20/s/UID", "20/s/UID (VIP 3: 50/s/UID)", NEW, "for vip-3 50/s"),
    replace(UNIFIED, "Get Order Details", "20/s/UID.", "20/s/UID. Level 2: 30/s/UID.", NEW, "unified/order-info.yaml"),
    replace(
        UNIFIED,
        "Limits",
        "| Account assets | 20/s/UID |",
        "| Account assets | 20/s/UID; 40/s/UID for VIP 2 and above |",
        NEW,
        "unified/assets.yaml",
    ),
    replace(
        UNIFIED,
        "Limits",
        "20 orders (place, modify, cancel)",
        "20 orders (place, modify), 50 orders (cancel)",
        TWICE,
        "unified/cancel-batch.yaml",
    ),
    // A note of a rate names a class, as a sentence beside it does.
    insert(UNIFIED, "Get Order Details", "GET /api", NOTE, NEW, "unified/order-info.yaml"),
    // A default and a range in other words.
    replace(
        UNIFIED,
        "Place Order",
        "crossed (default), isolated",
        "crossed, isolated; crossed by default",
        WORDS,
        "unified/place-order.yaml",
    ),
    replace(
        UNIFIED,
        "Place Order",
        "crossed (default), isolated",
        "crossed, isolated; isolated by default",
        CHANGED,
        "unified/place-order.yaml",
    ),
    replace(
        UNIFIED,
        "Get Open Orders",
        "limit (default and maximum 100)",
        "limit (default 100, range [1, 500])",
        TWICE,
        "unified/unfilled-orders.yaml",
    ),
];
