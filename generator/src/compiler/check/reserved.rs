//! Names that emitted code reserves, and why.

use crate::compiler::model::field_name;

/// Reserved names of one kind.
pub(super) struct ReservedNames {
    /// The names, with spaces between them.
    names: &'static str,
    pub(super) why: &'static str,
}

/// Emitted code uses or derives these without a path, so a type with such a name would shadow them.
pub(super) const TYPES: ReservedNames = ReservedNames {
    names: "Box Client Clone Debug Default Eq Err From Hash Into None Ok Option PartialEq Result Self_ Send \
            Some String Sync Vec",
    why: "Rust or the emitted code uses this name for a type",
};

/// The variant for values that the documents do not list.
pub(super) const VARIANTS: ReservedNames =
    ReservedNames { names: "Unknown", why: "the emitted code uses this variant for values that are not documented" };

/// Functions of requests, of objects in lists, and of the data of cases.
pub(super) const SETTERS: ReservedNames = ReservedNames {
    names: "between check check_rules clone default from_json from_json_in from_query from_query_in inspect \
            limit_class new read stream validate with_key write write_headers write_path",
    why: "every request has a function with this name",
};

/// Functions of a choice by value.
pub(super) const MAKERS: ReservedNames =
    ReservedNames { names: "kind", why: "every choice has a function with this name" };

/// Modules of a family, and functions of the type with its operations.
pub(super) const OPERATIONS: ReservedNames = ReservedNames {
    names: "blocking check_credentials choices clone enums errors identifiers lifecycle mod of records \
            runtime tables tradeapi_runtime types",
    why: "every family has a module or a function with this name",
};

/// Functions of the account and the instrument.
pub(super) const PROPERTIES: ReservedNames = ReservedNames {
    names: "as_ref clone default eq from from_file from_json instrument into named name new to_json",
    why: "the account or the instrument has a function with this name",
};

/// Types of the root.
pub(super) const ROOT_TYPES: ReservedNames = ReservedNames {
    names: "API Account ConfirmPolicy Confirmation Credentials Decimal Scaled Edit Error Instrument List \
            Operation Outcome Reply RetryPolicy Timestamp Violations",
    why: "the emitted code has a type with this name",
};

/// Modules of the root, functions of the client, and names that cargo reserves.
pub(super) const FAMILIES: ReservedNames = ReservedNames {
    names: "account account_mismatches alloc api batch with_code_policy blocking builder builder_from_env \
            call cancel_foreign claim_journal with_check_policy cli clone codes core default evidence \
            flatten from_env guide instrument lib load_instruments locate main new pages place_and_confirm \
            prepare reconcile recover refresh_orders retrying runtime send settle skew std test \
            tracked_orders tradeapi_runtime under_way update_ledger with_account without_journal",
    why: "the emitted code already uses this name",
};

/// Keys of conditions.
pub(super) const CONDITION_WORDS: ReservedNames =
    ReservedNames { names: "any_given given", why: "it has a meaning in conditions" };

/// Headers that the transport sets.
pub(super) const HEADERS: ReservedNames =
    ReservedNames { names: "connection content-length content-type host transfer-encoding", why: "the client sets it" };

impl ReservedNames {
    /// Returns whether a name is reserved.
    pub(super) fn has(&self, name: &str) -> bool {
        self.names.split(' ').any(|taken| taken == name.trim_start_matches("r#"))
    }
}

/// Returns whether a type can have this Rust name.
pub(crate) fn is_free_type(rust: &str) -> bool {
    !TYPES.has(rust)
}

/// Returns whether a request can have this Rust name, of which its function is named.
pub(crate) fn is_free_request(rust: &str) -> bool {
    field_name(rust).is_ok_and(|function| !OPERATIONS.has(&function))
}

/// Returns whether an operation can have this name, which is also that of its file.
pub(crate) fn is_free_operation(name: &str) -> bool {
    const FILES: [&str; 6] = ["aux", "con", "nul", "prn", "family", "types"];
    let is_device = |name: &str| {
        let rest = name.strip_prefix("com").or(name.strip_prefix("lpt"));
        rest.is_some_and(|rest| rest.len() == 1 && rest.bytes().all(|byte| byte.is_ascii_digit()))
    };
    !FILES.contains(&name) && !is_device(name)
}

/// Returns whether a parameter can have this Rust name, of which its setter is named.
pub(crate) fn is_free_setter(rust: &str) -> bool {
    !SETTERS.has(rust)
}
