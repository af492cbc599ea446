//! *Required*, *one of* and *wins* in other words are changes of words, and the opposites of these words are changes of
//! fact.

use crate::{Subject, code, on_all_cores};

const CLASSIC: usize = 0;
const UNIFIED: usize = 1;

/// A text of a document and what stands there instead.
type Place = (usize, &'static str, &'static str);

/// Where `REQUIRED` and its opposite stand.
const REQUIRED: Place = (UNIFIED, "code (required, company code)", "code (#, company code)");
const OPTIONAL: Place = (UNIFIED, "symbol (optional; when omitted", "symbol (#; when omitted");
const ONE: Place = (
    UNIFIED,
    "GET /api/v3/trade/order-info. Rate limit 20/s/UID. Parameters: orderId, clientOid (one required; orderId wins).",
    "GET /api/v3/trade/order-info. Rate limit 20/s/UID. Parameters: #.",
);
const CELL: Place =
    (CLASSIC, "one of orderId or clientOid required; orderId wins if both given", "#; orderId wins if both given");

const SAME: &[(Place, &[&str])] = &[
    (
        REQUIRED,
        &[
            "obligatory",
            "compulsory",
            "must be sent",
            "must always be provided",
            "always sent",
            "needed",
            "has to be given",
            "needs to be specified",
            "necessary",
            "essential",
            "indispensable",
            "non-optional",
            "not optional",
            "cannot be omitted",
            "must not be left out",
            "is mandatory",
            // No reader knows these.
            "you must not forget it",
            "provision is compulsory",
            "nothing works if it is left out",
        ],
    ),
    (OPTIONAL, &["may be omitted", "can be left out", "not needed", "is not mandatory", "not necessary"]),
    (
        ONE,
        &[
            "orderId, clientOid (exactly one of them is required; orderId wins)",
            "orderId, clientOid (either is required; orderId wins)",
            "orderId, clientOid (one of the two has to be sent; orderId wins)",
            "orderId, clientOid (choose one; orderId wins)",
            "orderId, clientOid (supply either; orderId wins)",
            "either orderId or clientOid (orderId wins)",
            "orderId, clientOid (one is obligatory; orderId prevails)",
            "orderId, clientOid (one required; orderId takes precedence)",
            "orderId, clientOid (one required; orderId has priority)",
            // No reader knows these.
            "orderId, clientOid (always name the order by its id or by yours; orderId wins)",
            "orderId, clientOid (one required; priority is with orderId)",
        ],
    ),
    (
        CELL,
        &[
            "either orderId or clientOid is mandatory",
            "provide either orderId or clientOid",
            "exactly one of orderId and clientOid must be sent",
            "any one of orderId or clientOid has to be specified",
            // No reader knows these.
            "orderId or clientOid, one of which is mandatory",
            "any one of orderId, clientOid must be specified",
        ],
    ),
];

const OPPOSITE: &[(Place, &[&str])] = &[
    (REQUIRED, &["optional", "not required", "not mandatory", "not necessary", "may be omitted", "can be left out"]),
    (OPTIONAL, &["required", "obligatory", "must be sent", "cannot be omitted", "not optional"]),
    (
        ONE,
        &[
            "orderId (must be sent), clientOid (must be sent)",
            "orderId, clientOid (choose one; clientOid prevails)",
            "orderId, clientOid (both must be sent)",
            "orderId (may be omitted), clientOid (may be omitted)",
        ],
    ),
    (CELL, &["both orderId and clientOid must be sent", "optional"]),
];

/// Returns the exit codes of the audit over every wording of some places.
fn codes(wordings: &[(Place, &[&str])]) -> Option<Vec<(String, u8)>> {
    let subject = Subject::read()?;
    let all: Vec<(Place, &str)> =
        wordings.iter().flat_map(|(place, wordings)| wordings.iter().map(|wording| (*place, *wording))).collect();
    Some(on_all_cores(&all, |((document, from, to), wording)| {
        let text = &subject.texts[*document];
        assert!(text.contains(from), "{from}");
        let audit = subject.audit(*document, &text.replacen(from, &to.replace('#', wording), 1));
        (format!("{wording}: {audit}"), code(&audit))
    }))
}

#[test]
fn the_same_in_other_words_is_no_change_of_fact() {
    for (shown, code) in codes(SAME).unwrap_or_default() {
        assert_ne!(code, 1, "{shown}");
    }
}

#[test]
fn the_opposite_is_a_change_of_fact() {
    for (shown, code) in codes(OPPOSITE).unwrap_or_default() {
        assert_eq!(code, 1, "{shown}");
    }
}
