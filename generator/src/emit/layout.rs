//! How the emitted files are used.

/// What the emitted files are going to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Layout {
    /// A module: the root file is `api.rs` and can be `include!`d from `OUT_DIR`.
    #[default]
    Module,
    /// A crate of its own: the root file is `lib.rs`, each family is a cargo feature, examples are doctests.
    Crate,
}
