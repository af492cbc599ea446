//! Wire names -> Rust names.

use heck::{ToSnakeCase, ToUpperCamelCase};

use crate::compiler::diagnostics::Place;

/// A wire name with its Rust name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    pub(crate) wire: String,
    pub(crate) rust: String,
    pub(crate) place: Place,
}

impl Name {
    /// Returns the name as a variant of a choice; `None` if it cannot become one.
    pub(crate) fn variant(&self) -> Option<String> {
        type_name(self.bare()).ok()
    }

    /// Returns the name as a function; `None` if it cannot become one.
    pub(crate) fn function(&self) -> Option<String> {
        field_name(self.bare()).ok()
    }

    /// Returns the Rust name without the mark of a raw identifier.
    pub(crate) fn bare(&self) -> &str {
        self.rust.strip_prefix("r#").unwrap_or(&self.rust)
    }

    /// Returns the Rust name as the beginning of a longer one, without what tells it from a keyword.
    pub(crate) fn beginning(&self) -> &str {
        self.bare().trim_end_matches('_')
    }
}

/// The keywords of edition 2024, in which emitted code is compiled, including reserved ones.
pub(crate) const KEYWORDS: [&str; 52] = [
    "Self", "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do", "dyn",
    "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro",
    "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static", "struct", "super",
    "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// The wire name cannot become a Rust name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NoIdentifier;

/// Returns the Rust name of a field, parameter, function or module.
pub(crate) fn field_name(wire: &str) -> Result<String, NoIdentifier> {
    identifier(wire, &wire.to_snake_case())
}

/// Returns the Rust name of a type.
pub(crate) fn type_name(wire: &str) -> Result<String, NoIdentifier> {
    identifier(wire, &wire.to_upper_camel_case())
}

/// Returns the Rust name of a variant of an enum.
pub(crate) fn variant_name(wire: &str) -> Result<String, NoIdentifier> {
    identifier(wire, &wire.to_upper_camel_case())
}

/// Turns a keyword into a raw identifier, or appends an underscore if Rust has no raw form of it.
fn identifier(wire: &str, name: &str) -> Result<String, NoIdentifier> {
    let is_identifier = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    // Letters of another script may look like ASCII, and combining characters would be dropped.
    if !wire.is_ascii() || !is_identifier {
        return Err(NoIdentifier);
    }
    Ok(match name {
        "self" | "Self" | "super" | "crate" => format!("{name}_"),
        keyword if KEYWORDS.contains(&keyword) => format!("r#{keyword}"),
        name => name.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wire_names_become_rust_names() {
        for (wire, rust) in [
            ("orderId", "order_id"),
            ("cTime", "c_time"),
            ("type", "r#type"),
            ("self", "self_"),
            ("try", "r#try"),
            ("gen", "r#gen"),
        ] {
            assert_eq!(field_name(wire).as_deref(), Ok(rust));
        }
        for (wire, rust) in [("USDT-FUTURES", "UsdtFutures"), ("Self", "Self_"), ("post only", "PostOnly")] {
            assert_eq!(type_name(wire).as_deref(), Ok(rust));
        }
        for wire in ["", "1m", "***", "名前", "_", "pr\u{456}ce", "e\u{301}t\u{e9}"] {
            assert_eq!(field_name(wire), Err(NoIdentifier), "{wire:?}");
        }
    }
}
