//! Syntax trees of code that is emitted often: rows of tables and declarations.
//!
//! `quote!` would look like its output, but its tokens have to be parsed before they can be printed: reading the schema
//! and emitting everything took 40 % more instructions when all that is made here was parsed. Rarely used code is `quote!`.

use super::code::{ident, print_item};
use crate::compiler::model::{Duration, DurationUnit};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens as _, quote};
use syn::punctuated::Punctuated;
use syn::{
    AngleBracketedGenericArguments, BinOp, Block, Expr, ExprArray, ExprAwait, ExprBinary, ExprCall, ExprLit, ExprMacro,
    ExprMethodCall, ExprPath, ExprReference, ExprStruct, ExprTry, ExprTuple, ExprUnary, FieldValue, GenericArgument,
    ImplItem, ImplItemFn, Item, ItemConst, ItemImpl, ItemStatic, Lit, LitBool, LitInt, LitStr, Local, LocalInit, Macro,
    MacroDelimiter, Member, Pat, PatIdent, Path, PathSegment, Stmt, Type, UnOp,
};

/// Returns the text of a constant, whose declaration has a placeholder as its value.
pub(super) fn constant(declaration: TokenStream, value: Expr) -> String {
    match syn::parse2::<ItemConst>(declaration) {
        Ok(constant) => print_item(Item::Const(ItemConst { expr: Box::new(value), ..constant })),
        Err(error) => invalid_rust_text(&error),
    }
}

/// Returns the text of a static, declared like a constant. Of a large table, it gives the compiler less to check.
pub(super) fn fixed(declaration: TokenStream, value: Expr) -> String {
    match syn::parse2::<ItemStatic>(declaration) {
        Ok(fixed) => print_item(Item::Static(ItemStatic { expr: Box::new(value), ..fixed })),
        Err(error) => invalid_rust_text(&error),
    }
}

/// Returns the text of an `impl`, declared without members. Each function is declared with an empty body and consists
/// of the statements given with it.
pub(super) fn implementation<const N: usize>(
    declaration: TokenStream,
    functions: [(TokenStream, Vec<Stmt>); N],
) -> String {
    let functions = functions.into_iter().map(|(declaration, stmts)| {
        let declared: ImplItemFn = syn::parse2(declaration)?;
        let block = Block { stmts, ..declared.block };
        Ok(ImplItem::Fn(ImplItemFn { block, ..declared }))
    });
    let whole = functions.collect::<syn::Result<_>>().and_then(|items| {
        let declared: ItemImpl = syn::parse2(declaration)?;
        Ok(Item::Impl(ItemImpl { items, ..declared }))
    });
    whole.map_or_else(|error| invalid_rust_text(&error), print_item)
}

/// Returns the call of `compile_error!` that stops the compiler, because emitted code always parses; if it did not, the
/// call of `compile_error!` would stop the compiler.
fn invalid_rust(error: &syn::Error) -> Expr {
    let message = format!("tradeapi-gen emitted invalid Rust: {error}");
    macro_of(&["compile_error"], quote!(#message))
}

fn invalid_rust_text(error: &syn::Error) -> String {
    let call = invalid_rust(error);
    format!("{};", quote!(#call))
}

/// Returns a table of the runtime with this type. Fields that are left out have their defaults.
pub(super) fn table<const N: usize>(ty: &str, fields: [Option<Field>; N]) -> Expr {
    let rest = fields.iter().any(Option::is_none).then(|| of_table(ty, "DEFAULT"));
    let fields = fields.into_iter().flatten().map(|(name, value)| (ident(name), value));
    Expr::Struct(ExprStruct {
        dot2_token: rest.is_some().then(Default::default),
        rest: rest.map(Box::new),
        ..structure(&["tables", ty], fields)
    })
}

/// Returns `Path { field: value, field }`.
pub(super) fn structure(path: &[&str], fields: impl Iterator<Item = (Ident, Expr)>) -> ExprStruct {
    let field = |(name, expr)| {
        let is_short = matches!(&expr, Expr::Path(value) if value.path.is_ident(&name));
        FieldValue {
            attrs: Vec::new(),
            member: Member::Named(name),
            colon_token: (!is_short).then(Default::default),
            expr,
        }
    };
    ExprStruct {
        attrs: Vec::new(),
        qself: None,
        path: path_of(path),
        brace_token: Default::default(),
        fields: fields.map(field).collect(),
        dot2_token: None,
        rest: None,
    }
}

/// A field of a table with its value.
pub(super) type Field = (&'static str, Expr);

/// Returns a field for a list, if the list is not empty.
pub(super) fn rows(name: &'static str, items: impl Iterator<Item = Expr>) -> Option<Field> {
    let mut items = items.peekable();
    items.peek().is_some().then(|| (name, list(items)))
}

/// Returns a field that is `Some`, if there is a value.
pub(super) fn some(name: &'static str, value: Option<Expr>) -> Option<Field> {
    value.map(|value| (name, optional(Some(value))))
}

/// Returns a field that is `true`, if it is set.
pub(super) fn flag(name: &'static str, is_set: bool) -> Option<Field> {
    is_set.then(|| (name, truth(true)))
}

/// Returns `Some(value)` or `None`.
pub(super) fn optional(value: Option<Expr>) -> Expr {
    match value {
        Some(value) => call(path(&["Some"]), [value]),
        None => path(&["None"]),
    }
}

/// Returns a variant or an associated item of a type of the runtime's tables.
pub(super) fn of_table(ty: &str, name: &str) -> Expr {
    path(&["tables", ty, name])
}

/// Returns `one::two::three`.
pub(super) fn path(segments: &[&str]) -> Expr {
    of_path(path_of(segments))
}

/// Returns what a path names.
pub(super) fn of_path(path: Path) -> Expr {
    Expr::Path(ExprPath { attrs: Vec::new(), qself: None, path })
}

pub(super) fn path_of(segments: &[&str]) -> Path {
    let segments = segments.iter().map(|segment| PathSegment::from(ident(segment))).collect();
    Path { leading_colon: None, segments }
}

/// Returns `"text"`.
pub(super) fn text(text: &str) -> Expr {
    literal(Lit::Str(LitStr::new(text, Span::call_site())))
}

/// Returns a number without a type suffix.
pub(super) fn number(n: u64) -> Expr {
    literal(Lit::Int(LitInt::new(&n.to_string(), Span::call_site())))
}

/// Returns an integer of the schema.
pub(super) fn whole(text: &str) -> Option<Expr> {
    let size = number(text.trim_start_matches('-').parse().ok()?);
    Some(if text.starts_with('-') { negative(size) } else { size })
}

/// Returns `true` or `false`.
pub(super) fn truth(value: bool) -> Expr {
    literal(Lit::Bool(LitBool::new(value, Span::call_site())))
}

fn literal(lit: Lit) -> Expr {
    Expr::Lit(ExprLit { attrs: Vec::new(), lit })
}

/// Returns `&["text", "text"]`.
pub(super) fn texts<'a>(texts: impl Iterator<Item = &'a str>) -> Expr {
    list(texts.map(text))
}

/// Returns `(one, other)`.
pub(super) fn pair(one: Expr, other: Expr) -> Expr {
    tuple([one, other])
}

/// Returns `(one, two, three)`.
pub(super) fn tuple<const N: usize>(elements: [Expr; N]) -> Expr {
    let elems = Punctuated::from_iter(elements);
    Expr::Tuple(ExprTuple { attrs: Vec::new(), paren_token: Default::default(), elems })
}

/// Returns `&[item, item]`.
pub(super) fn list(items: impl Iterator<Item = Expr>) -> Expr {
    reference(array(items))
}

/// Returns `[item, item]`.
pub(super) fn array(items: impl Iterator<Item = Expr>) -> Expr {
    Expr::Array(ExprArray { attrs: Vec::new(), bracket_token: Default::default(), elems: items.collect() })
}

/// Returns `&value`.
pub(super) fn reference(value: Expr) -> Expr {
    Expr::Reference(ExprReference {
        attrs: Vec::new(),
        and_token: Default::default(),
        mutability: None,
        expr: Box::new(value),
    })
}

/// Returns `value?`.
pub(super) fn tried(value: Expr) -> Expr {
    Expr::Try(ExprTry { attrs: Vec::new(), expr: Box::new(value), question_token: Default::default() })
}

/// Returns `value.await`.
pub(super) fn awaited(value: Expr) -> Expr {
    Expr::Await(ExprAwait {
        attrs: Vec::new(),
        base: Box::new(value),
        dot_token: Default::default(),
        await_token: Default::default(),
    })
}

/// Returns `-value`.
pub(super) fn negative(value: Expr) -> Expr {
    Expr::Unary(ExprUnary { attrs: Vec::new(), op: UnOp::Neg(Default::default()), expr: Box::new(value) })
}

/// Returns `value;`.
pub(super) fn statement(value: Expr) -> Stmt {
    Stmt::Expr(value, Some(Default::default()))
}

/// Returns `let name = value;`.
pub(super) fn binding(ident: Ident, value: Expr) -> Stmt {
    let pat = PatIdent { attrs: Vec::new(), by_ref: None, mutability: None, ident, subpat: None };
    Stmt::Local(Local {
        attrs: Vec::new(),
        let_token: Default::default(),
        modifiers: Default::default(),
        pat: Pat::Ident(pat),
        init: Some(LocalInit { eq_token: Default::default(), expr: Box::new(value), diverge: None }),
        semi_token: Default::default(),
    })
}

/// Returns `name!(tokens)`.
pub(super) fn macro_of(path: &[&str], tokens: TokenStream) -> Expr {
    let mac = Macro {
        path: path_of(path),
        bang_token: Default::default(),
        delimiter: MacroDelimiter::Paren(Default::default()),
        tokens,
    };
    Expr::Macro(ExprMacro { attrs: Vec::new(), mac })
}

/// Returns `function(argument, argument)`.
pub(super) fn call(function: Expr, arguments: impl IntoIterator<Item = Expr>) -> Expr {
    Expr::Call(ExprCall {
        attrs: Vec::new(),
        func: Box::new(function),
        paren_token: Default::default(),
        args: arguments.into_iter().collect(),
    })
}

/// Returns `receiver.method(argument)`, or the receiver alone if there is no argument.
pub(super) fn with(receiver: Expr, method: &str, argument: Option<Expr>) -> Expr {
    match argument {
        Some(argument) => on(receiver, method, [argument]),
        None => receiver,
    }
}

/// Returns `receiver.method()`.
pub(super) fn flagged(receiver: Expr, method: &str) -> Expr {
    on(receiver, method, [])
}

/// Returns `receiver.method(argument, argument)`.
pub(super) fn on(receiver: Expr, method: &str, arguments: impl IntoIterator<Item = Expr>) -> Expr {
    Expr::MethodCall(method_call(receiver, method, arguments))
}

/// Returns `receiver.method::<ty>()`.
pub(super) fn with_type(receiver: Expr, method: &str, ty: Type) -> Expr {
    let turbofish = AngleBracketedGenericArguments {
        colon2_token: Some(Default::default()),
        lt_token: Default::default(),
        args: [GenericArgument::Type(ty)].into_iter().collect(),
        gt_token: Default::default(),
    };
    Expr::MethodCall(ExprMethodCall { turbofish: Some(turbofish), ..method_call(receiver, method, []) })
}

fn method_call(receiver: Expr, method: &str, arguments: impl IntoIterator<Item = Expr>) -> ExprMethodCall {
    ExprMethodCall {
        attrs: Vec::new(),
        receiver: Box::new(receiver),
        dot_token: Default::default(),
        method: ident(method),
        turbofish: None,
        paren_token: Default::default(),
        args: arguments.into_iter().collect(),
    }
}

/// Returns `one | other`.
pub(super) fn or(one: Expr, other: Expr) -> Expr {
    let op = BinOp::BitOr(Default::default());
    Expr::Binary(ExprBinary { attrs: Vec::new(), left: Box::new(one), op, right: Box::new(other) })
}

/// Returns the last expression of a block.
pub(super) fn result(value: Expr) -> Stmt {
    Stmt::Expr(value, None)
}

/// Returns a name that is in scope.
pub(super) fn variable(name: Ident) -> Expr {
    of_path(PathSegment::from(name).into())
}

/// Returns an expression of a rarely used kind.
pub(super) fn tokens(tokens: TokenStream) -> Expr {
    syn::parse2(tokens).unwrap_or_else(|error| invalid_rust(&error))
}

/// Returns a member of an `impl` of a rarely used kind.
pub(super) fn member(tokens: TokenStream) -> ImplItem {
    syn::parse2(tokens).unwrap_or_else(|error| ImplItem::Verbatim(invalid_rust(&error).into_token_stream()))
}

/// Returns statements of a rarely used kind.
pub(super) fn statements(tokens: TokenStream) -> Vec<Stmt> {
    let parsed = syn::parse::Parser::parse2(Block::parse_within, tokens);
    parsed.unwrap_or_else(|error| vec![statement(invalid_rust(&error))])
}

/// Returns a length of time in the form of the tables.
pub(super) fn length(length: Duration) -> Expr {
    let (unit, factor) = match length.unit {
        DurationUnit::Millisecond => ("Millis", 1),
        DurationUnit::Second => ("Seconds", 1),
        DurationUnit::Minute => ("Seconds", 60),
        DurationUnit::Hour => ("Seconds", 60 * 60),
        DurationUnit::Day => ("Days", 1),
        DurationUnit::Week => ("Days", 7),
        DurationUnit::Month => ("Months", 1),
    };
    call(of_table("Length", unit), [number(u64::from(length.n) * factor)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_rust_does_not_compile() {
        let (value, statements) = (tokens(quote!(+)), statements(quote!(let;)));
        let texts = [
            quote!(#value).to_string(),
            quote!(#(#statements)*).to_string(),
            constant(quote!(const A), truth(true)),
            implementation(quote!(impl A {}), [(quote!(fn a()), Vec::new())]),
        ];
        for text in texts {
            assert!(text.starts_with("compile_error ! (\"tradeapi-gen emitted invalid Rust: "), "{text}");
        }
    }
}
