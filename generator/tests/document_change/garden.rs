//! Changes of the document about a garden.

use crate::play::Change;

/// Code of a program that sows.
pub(crate) const DESK: &str = r#"//! Somebody who depends on the client.

use garden::garden::{DrillSowing, ListHarvests, Pace, Soil, SowSeed};

/// Sows in a row.
pub fn sow(depth: garden::Decimal) -> SowSeed {
    SowSeed::new(Soil::Loam, DrillSowing::new(depth)).pace(Pace::Fast)
}

/// Returns what is put into the ground first.
pub fn before(soil: &Soil) -> &'static str {
    match soil {
        Soil::Clay => "gravel",
        _ => "nothing",
    }
}

/// Returns what was picked.
pub fn picked() -> ListHarvests {
    ListHarvests::new()
}
"#;

const DOCUMENT: &str = "garden-v1.md";

pub(crate) const CHANGES: &[Change] = &[
    Change {
        name: "a new value",
        documents: &[(DOCUMENT, "| soil values | CLAY, SAND, LOAM |", "| soil values | CLAY, SAND, LOAM, PEAT |")],
        audited: &["value PEAT of soil"],
        schema: &[("schema/garden/types.yaml", "LOAM: Between. }", "LOAM: Between., PEAT: Sour. }")],
        class: "additive",
        version: ("0.1.0", "0.1.1"),
        breaks: None,
    },
    Change {
        name: "another rate limit",
        documents: &[
            (DOCUMENT, "sow-seed. Rate limit 4/s/UID", "sow-seed. Rate limit 6/s/UID"),
            (DOCUMENT, "| Sow Seed | 4/s/UID", "| Sow Seed | 6/s/UID"),
        ],
        audited: &["rate 6/s per UID", "rate 6/s per UID"],
        schema: &[("schema/garden/sow-seed.yaml", "[4/s per UID", "[6/s per UID")],
        class: "behaviour",
        version: ("0.1.1", "0.1.2"),
        breaks: None,
    },
    Change {
        name: "a parameter become required",
        documents: &[(DOCUMENT, "| label | no |", "| label | yes |")],
        audited: &["parameter label required"],
        schema: &[(
            "schema/garden/sow-seed.yaml",
            "label: { type: Label }",
            "label: { type: Label, required: always }",
        )],
        class: "breaking",
        version: ("0.1.2", "0.2.0"),
        breaks: Some((
            &["E0061"],
            (
                "desk/src/lib.rs",
                "DrillSowing::new(depth))",
                "DrillSowing::new(depth), garden::garden::Label::new(\"kale\").unwrap())",
            ),
        )),
    },
    Change {
        name: "other words",
        documents: &[(DOCUMENT, "Robots work while people sleep", "Robots toil while people sleep")],
        audited: &[],
        schema: &[],
        class: "no differences",
        version: ("0.2.0", "0.2.0"),
        breaks: None,
    },
];
