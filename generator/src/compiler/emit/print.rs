//! Tokens -> formatted code.

use std::fmt;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use super::docs::put_back;

/// An item that is formatted already, except for its documentation.
pub(super) struct Printed {
    text: String,
    /// The macro of the runtime that declares it.
    declared_by: Option<&'static str>,
}

impl Printed {
    pub(super) fn of(item: syn::Item) -> Self {
        Self { text: unparse(vec![item]), declared_by: None }
    }

    /// Items in a call of a macro of the runtime.
    pub(super) fn declared_by(name: &'static str, items: Vec<syn::Item>) -> Self {
        Self { text: unparse(items), declared_by: Some(name) }
    }

    /// The text with the documentation that was set aside.
    pub(super) fn with_docs(&self, docs: &[String]) -> String {
        match self.declared_by {
            Some(name) => {
                let inner = Lines { docs, indent: "    " }.lay_out(&self.text);
                format!("runtime::{name}! {{\n{inner}}}\n")
            }
            None => Lines { docs, indent: "" }.lay_out(&self.text),
        }
    }
}

/// Everything that determines the text.
impl fmt::Display for Printed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}! {}", self.declared_by.unwrap_or_default(), self.text)
    }
}

fn unparse(items: Vec<syn::Item>) -> String {
    prettyplease::unparse(&syn::File { shebang: None, frontmatter: None, attrs: Vec::new(), items })
}

/// The code of items, with the documentation that was set aside while they were made.
pub(super) fn print(tokens: TokenStream, docs: &[String]) -> String {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    declared_by_macro(&trees, docs).unwrap_or_else(|| match syn::parse2::<syn::File>(trees.into_iter().collect()) {
        Ok(file) => Lines { docs, indent: "" }.lay_out(&prettyplease::unparse(&file)),
        // Emitted code always parses; if it did not, this would stop the compiler here.
        Err(error) => format!("compile_error!({:?});", format!("tradeapi-gen emitted invalid Rust: {error}")),
    })
}

/// A macro call that declares an item, formatted like an item.
fn declared_by_macro(trees: &[TokenTree], docs: &[String]) -> Option<String> {
    let [path @ .., TokenTree::Punct(mark), TokenTree::Group(body)] = trees else { return None };
    if mark.as_char() != '!' || body.delimiter() != Delimiter::Brace || !path.iter().all(is_of_path) {
        return None;
    }
    let inner: syn::File = syn::parse2(body.stream()).ok()?;
    let inner = Lines { docs, indent: "    " }.lay_out(&prettyplease::unparse(&inner));
    Some(format!("{}! {{\n{inner}}}\n", path.iter().map(ToString::to_string).collect::<String>()))
}

fn is_of_path(tree: &TokenTree) -> bool {
    match tree {
        TokenTree::Ident(_) => true,
        TokenTree::Punct(punct) => punct.as_char() == ':',
        TokenTree::Group(_) | TokenTree::Literal(_) => false,
    }
}

/// The code of a single item, without the documentation that was set aside.
pub(super) fn print_item(item: syn::Item) -> String {
    Lines { docs: &[], indent: "" }.lay_out(&unparse(vec![item]))
}

/// The layout of the lines of printed items.
struct Lines<'a> {
    docs: &'a [String],
    /// The indentation of each line.
    indent: &'a str,
}

impl Lines<'_> {
    /// Inserts the documentation, and empty lines between the members of an `impl`. Emitted strings contain no line
    /// breaks, so each line is a line of code.
    fn lay_out(&self, printed: &str) -> String {
        let mut out = String::with_capacity(2 * printed.len());
        let mut last = Last::default();
        for line in printed.lines() {
            if last.is_apart_from(line) {
                out.push('\n');
            }
            match put_back(line, self.docs) {
                Some((start, text)) => text.split('\n').for_each(|text| self.push(&mut out, start, text)),
                None => self.push(&mut out, line, ""),
            }
            last = Last::of(line);
        }
        out
    }

    fn push(&self, out: &mut String, start: &str, text: &str) {
        if !start.is_empty() {
            out.extend([self.indent, start, text.trim_end_matches(' ')]);
        }
        out.push('\n');
    }
}

/// The end of the previous line.
#[derive(Default)]
struct Last {
    is_block: bool,
    is_constant: bool,
}

impl Last {
    fn of(line: &str) -> Self {
        let is_constant = line.ends_with(';') && is_member(line) && !line.starts_with("    ///");
        Self { is_block: line == "    }" || line == "}", is_constant }
    }

    /// Returns whether an empty line belongs before the next line.
    fn is_apart_from(&self, next: &str) -> bool {
        let at_member = is_member(next) && !next.starts_with("    }");
        let at_item = next.starts_with(|c: char| !c.is_whitespace() && c != '}' && c != ')');
        let closes = next.starts_with("    ]") || next.starts_with("    )");
        let after_last_constant = self.is_constant && at_member && !closes && !next.starts_with("    const ");
        self.is_block && (at_member || at_item) || after_last_constant
    }
}

/// Returns whether a line begins a member of an item, judged by its indentation.
fn is_member(line: &str) -> bool {
    line.starts_with("    ") && !line.starts_with("     ")
}
