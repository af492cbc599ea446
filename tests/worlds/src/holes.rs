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
pub static HOLES: &[Hole] = &[];

/// Whether there is a hole with this name.
pub(crate) fn is_hole(name: &str) -> bool {
    HOLES.iter().any(|hole| hole.name == name)
}
