//! Rows of long tables, as syntax trees. Made of tokens, which have to be parsed, they take twice as long.

use proc_macro2::{Span, TokenStream};
use syn::punctuated::Punctuated;
use syn::{Expr, ExprArray, ExprCall, ExprLit, ExprMethodCall, ExprPath, ExprReference, Item, ItemConst, Lit, LitStr};
use syn::{Path, PathSegment};

use super::code::ident;
use super::print::print_item;

/// The text of a constant that is declared with an empty list, with these rows in it.
pub(super) fn constant(declaration: TokenStream, rows: impl Iterator<Item = Expr>) -> String {
    match syn::parse2::<ItemConst>(declaration) {
        Ok(constant) => print_item(Item::Const(ItemConst { expr: Box::new(list(rows)), ..constant })),
        // Never met, as where a file is printed.
        Err(error) => format!("compile_error!({:?});", format!("tradeapi-gen emitted no Rust: {error}")),
    }
}

/// `one::two::three`.
pub(super) fn path(segments: &[&str]) -> Expr {
    let segments = segments.iter().map(|segment| PathSegment::from(ident(segment))).collect();
    Expr::Path(ExprPath { attrs: Vec::new(), qself: None, path: Path { leading_colon: None, segments } })
}

/// `"text"`.
pub(super) fn text(text: &str) -> Expr {
    Expr::Lit(ExprLit { attrs: Vec::new(), lit: Lit::Str(LitStr::new(text, Span::call_site())) })
}

/// `&[item, item]`.
pub(super) fn list(items: impl Iterator<Item = Expr>) -> Expr {
    let array = ExprArray { attrs: Vec::new(), bracket_token: Default::default(), elems: items.collect() };
    Expr::Reference(ExprReference {
        attrs: Vec::new(),
        and_token: Default::default(),
        mutability: None,
        expr: Box::new(Expr::Array(array)),
    })
}

/// `function(argument, argument)`.
pub(super) fn call<const N: usize>(function: Expr, arguments: [Expr; N]) -> Expr {
    Expr::Call(ExprCall {
        attrs: Vec::new(),
        func: Box::new(function),
        paren_token: Default::default(),
        args: arguments.into_iter().collect(),
    })
}

/// `receiver.method(argument)`, or the receiver alone where there is no argument.
pub(super) fn with(receiver: Expr, method: &str, argument: Option<Expr>) -> Expr {
    match argument {
        Some(argument) => on(receiver, method, Punctuated::from_iter([argument])),
        None => receiver,
    }
}

/// `receiver.method()`.
pub(super) fn flagged(receiver: Expr, method: &str) -> Expr {
    on(receiver, method, Punctuated::new())
}

fn on(receiver: Expr, method: &str, args: Punctuated<Expr, syn::Token![,]>) -> Expr {
    Expr::MethodCall(ExprMethodCall {
        attrs: Vec::new(),
        receiver: Box::new(receiver),
        dot_token: Default::default(),
        method: ident(method),
        turbofish: None,
        paren_token: Default::default(),
        args,
    })
}
