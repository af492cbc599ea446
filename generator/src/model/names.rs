//! Wire names -> Rust names.

use heck::{ToSnakeCase, ToUpperCamelCase};

use crate::diagnostics::Place;

/// A name on the wire and what it is called in Rust.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    pub(crate) wire: String,
    pub(crate) rust: String,
    pub(crate) place: Place,
}

impl Name {
    /// What it is called as a variant of a choice; nothing when it makes no name.
    pub(crate) fn variant(&self) -> Option<String> {
        type_name(self.bare()).ok()
    }

    /// What it is called as a function.
    pub(crate) fn function(&self) -> Option<String> {
        field_name(self.bare()).ok()
    }

    /// The Rust name without the mark of a raw identifier.
    pub(crate) fn bare(&self) -> &str {
        self.rust.strip_prefix("r#").unwrap_or(&self.rust)
    }
}

/// Why a wire name makes no Rust name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NoIdentifier;

/// The Rust name of a field, parameter, function or module.
pub(crate) fn field_name(wire: &str) -> Result<String, NoIdentifier> {
    identifier(&wire.to_snake_case())
}

/// The Rust name of a type.
pub(crate) fn type_name(wire: &str) -> Result<String, NoIdentifier> {
    identifier(&wire.to_upper_camel_case())
}

/// The Rust name of a variant of an enum.
pub(crate) fn variant_name(wire: &str) -> Result<String, NoIdentifier> {
    identifier(&wire.to_upper_camel_case())
}

/// A keyword becomes a raw identifier, or gets an underscore where Rust has no raw form of it.
fn identifier(name: &str) -> Result<String, NoIdentifier> {
    if !name.is_ascii() {
        return Err(NoIdentifier);
    }
    if syn::parse_str::<syn::Ident>(name).is_ok() {
        return Ok(name.to_owned());
    }
    if matches!(name, "self" | "Self" | "super" | "crate") {
        return Ok(format!("{name}_"));
    }
    let raw = format!("r#{name}");
    syn::parse_str::<syn::Ident>(&raw).map(|_| raw).map_err(|_| NoIdentifier)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wire_names_become_rust_names() {
        for (wire, rust) in
            [("orderId", "order_id"), ("cTime", "c_time"), ("type", "r#type"), ("self", "self_"), ("try", "r#try")]
        {
            assert_eq!(field_name(wire).as_deref(), Ok(rust));
        }
        for (wire, rust) in [("USDT-FUTURES", "UsdtFutures"), ("Self", "Self_"), ("post only", "PostOnly")] {
            assert_eq!(type_name(wire).as_deref(), Ok(rust));
        }
        for wire in ["", "1m", "***", "名前", "a\u{0}b\"", "_"] {
            assert!(field_name(wire).is_err() || wire.contains('b'), "{wire:?}");
        }
    }
}
