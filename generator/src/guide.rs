//! The guide. Its chapters are modules without items, which are compiled for documentation only.

/// A module for each chapter. The links between chapters are defined ahead of each, because the first definition of a
/// name counts, and those in a chapter lead to files.
macro_rules! chapters {
    ($($(#[$doc:meta])* $name:ident: $file:literal,)*) => {$(
        $(#[$doc])*
        ///
        #[doc = include_str!("../guide/links.md")]
        ///
        #[doc = include_str!(concat!("../guide/", $file))]
        pub mod $name {}
    )*};
}

chapters! {
    /// Beginning a schema from documents, OpenAPI files or recorded calls.
    drafts: "drafts.md",
    /// The steps that follow when a document of the API has changed.
    after_a_document_changed: "after-a-document-changed.md",
    /// Generating code when a crate is built.
    build_script: "build-script.md",
    /// Parts to write in Rust because the schema language cannot express them.
    beyond_the_language: "beyond-the-language.md",
    /// The reference of an API for a browser.
    reference_site: "reference-site.md",
    /// The description of an API in OpenAPI 3.1.
    openapi: "openapi.md",
    /// The outcomes of requests, as data for programs in any language.
    outcomes: "outcomes.md",
    /// Schemas of public exchanges.
    exchanges: "exchanges.md",
}
