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
    Hole { name: "reconcile-classic", why: "an order that a node does not show yet is reported as gone" },
    Hole { name: "reconcile", why: "an order that a node does not show yet is reported as gone" },
    Hole { name: "reconcile-beside", why: "an order that a node does not show yet is reported as gone" },
    Hole { name: "two-names", why: "orders that a journal has under another name are cancelled as foreign" },
];

/// Whether there is a hole with this name.
pub(crate) fn is_hole(name: &str) -> bool {
    HOLES.iter().any(|hole| hole.name == name)
}
