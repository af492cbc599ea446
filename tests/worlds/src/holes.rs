//! What the client does not survive yet. Each row goes away with the hole; until then, worlds leave it out unless they
//! are asked for it.

/// Something that worlds leave out, and why.
#[derive(Debug)]
pub struct Hole {
    /// The name of a scenario, or of an option.
    pub name: &'static str,
    /// What the client says that is false.
    pub why: &'static str,
}

/// All of them.
pub static HOLES: &[Hole] = &[
    Hole {
        name: "is another's by orderId",
        why: "a success with another orderId and no clientOid is taken for that of a request that never arrived",
    },
    Hole {
        name: "shows nothing",
        why: "a success that shows nothing is taken for one of a request that never arrived",
    },
    Hole { name: "is a gateway's success", why: "a success with status 502 and no id is taken for that of a request" },
    Hole { name: "reconcile-classic", why: "an order that a node does not show yet is reported as gone" },
    Hole { name: "reconcile", why: "an order that a node does not show yet is reported as gone" },
    Hole { name: "reconcile-beside", why: "an order that a node does not show yet is reported as gone" },
    Hole { name: "same-id", why: "one order closes two changes as done" },
    Hole { name: "same-id-allowed", why: "one order closes two changes as done" },
    Hole { name: "same-id-after-a-crash", why: "one order closes two changes as done" },
    Hole { name: "same-id-two-clients", why: "one order closes two changes as done" },
    Hole { name: "two-names", why: "orders that a journal has under another name are cancelled as foreign" },
];

/// Whether there is a hole with this name.
pub(crate) fn is_hole(name: &str) -> bool {
    HOLES.iter().any(|hole| hole.name == name)
}
