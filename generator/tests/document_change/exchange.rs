//! Changes of the real documents.

use crate::play::Change;

pub(crate) const DOCUMENTS: [&str; 2] = ["classic-futures-v2.md", "unified-v3.md"];

/// Code of a program that trades.
pub(crate) const DESK: &str = r#"//! Somebody who depends on the client.

use tradeapi::unified::{Category, ClientOid, Execution, PlaceOrder, Side, StpMode};

/// Buys at a price.
pub fn buy(amount: tradeapi::Decimal, price: tradeapi::Decimal, own: ClientOid) -> PlaceOrder {
    PlaceOrder::new(Category::UsdtFutures, "BTCUSDT", amount, Side::Buy, Execution::limit(price)).client_oid(own)
}

/// Returns which of two orders goes.
pub fn goes(mode: &StpMode) -> &'static str {
    match mode {
        StpMode::CancelTaker => "the new one",
        _ => "another",
    }
}
"#;

const UNIFIED: &str = DOCUMENTS[1];

pub(crate) const CHANGES: &[Change] = &[
    Change {
        name: "another rate limit and a new value",
        documents: &[
            (UNIFIED, "inner-trades. Rate limit 1/s/IP", "inner-trades. Rate limit 2/s/IP"),
            (UNIFIED, "| Insider trades | 1/s/IP |", "| Insider trades | 2/s/IP |"),
            (
                UNIFIED,
                "| stpMode | none, cancel_taker, cancel_maker, cancel_both |",
                "| stpMode | none, cancel_taker, cancel_maker, cancel_both, cancel_oldest |",
            ),
            (
                UNIFIED,
                "| stpMode | no | none (default), cancel_taker, cancel_maker, cancel_both |",
                "| stpMode | no | none (default), cancel_taker, cancel_maker, cancel_both, cancel_oldest |",
            ),
        ],
        audited: &[
            "rate 2/s per IP",
            "rate 2/s per IP",
            "value cancel_oldest of stpMode",
            "value cancel_oldest of stpMode",
        ],
        schema: &[
            ("schema/unified/inner-trades.yaml", "[1/s per IP]", "[2/s per IP]"),
            (
                "schema/unified/types.yaml",
                "      cancel_both: Both orders are cancelled.\n",
                "      cancel_both: Both orders are cancelled.\n      cancel_oldest: The older order is cancelled.\n",
            ),
        ],
        class: "behaviour",
        version: ("0.1.0", "0.1.1"),
        breaks: None,
    },
    Change {
        name: "a parameter become required",
        documents: &[(UNIFIED, "| clientOid | no |", "| clientOid | yes |")],
        audited: &["parameter clientOid required"],
        schema: &[
            (
                "schema/unified/place-order.yaml",
                "clientOid: { type: ClientOid, doc:",
                "clientOid: { type: ClientOid, required: always, doc:",
            ),
            // A classic order may have no id, and is not converted any more then.
            (
                "schema/classic/place-order.yaml",
                "  decided:",
                "  decided:\n    - cases:\n        - { when: { clientOid: given } }\n        - { when: { clientOid: [] }, refused: An order has an id there. }",
            ),
        ],
        class: "breaking",
        version: ("0.1.1", "0.2.0"),
        breaks: Some((
            &["E0061", "E0599"],
            ("desk/src/lib.rs", "Execution::limit(price)).client_oid(own)", "Execution::limit(price), own)"),
        )),
    },
];
