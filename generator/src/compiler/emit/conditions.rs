//! Conditions of rules -> boolean expressions over the fields of a request and the properties of the account; those that a
//! function uses several times are evaluated once.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use std::cell::{Cell, RefCell};

use super::code::{ident, number, optional};
use super::enums::form_function;
use super::scope::{Lookup, Target};
use super::scope::{Scope, is_timestamp};
use super::trees;
use crate::compiler::model::{
    Compared, Comparison, Condition, Decided, EnumValue, Operand, Parameter, Placed, Relation, Shape, Type, field_name,
};

/// Conditions over one set of parameters.
pub(super) struct Conditions<'a> {
    pub(super) of: Lookup<'a>,
    /// The expression that knows the account.
    account: Account,
    pub(super) shared: Shared,
}

/// The expression that knows the account, for the questions about its properties.
enum Account {
    /// The collector of violations, which is told for which rule it is asked: its row in the table.
    Check(Cell<usize>),
    /// The account itself.
    Bare,
}

impl<'a> Conditions<'a> {
    /// Returns conditions over the parameters in `self`, for a check that knows the account.
    pub(super) fn in_check(scope: &'a Scope<'a>, parameters: &'a [Parameter]) -> Self {
        Self::new(scope, parameters, Account::Check(Cell::new(0)))
    }

    /// Returns conditions over the parameters in `self`, beside the variables `known`, which knows the account and
    /// instruments, and `assumed`, which stands for what an instrument decides that is not known.
    pub(super) fn of_account(scope: &'a Scope<'a>, parameters: &'a [Parameter]) -> Self {
        Self::new(scope, parameters, Account::Bare)
    }

    fn new(scope: &'a Scope<'a>, parameters: &'a [Parameter], account: Account) -> Self {
        Self { of: Lookup { scope, parameters, base: quote!(self) }, account, shared: Shared::default() }
    }

    /// Makes the questions, from now on, those of this rule.
    pub(super) fn ask_for(&self, row: usize) {
        if let Account::Check(rule) = &self.account {
            rule.set(row);
        }
    }

    /// Returns whether a property of the account has one of these values, as an `Option<bool>`.
    fn account_is(&self, property: &str, values: &[Placed]) -> TokenStream {
        let words = values.iter().map(|(value, _)| value);
        match self.rule() {
            Some(rule) => quote!(to.is(#rule, #property, &[#(#words),*])),
            None => {
                let is = quote!(known.account.is(#property, &[#(#words),*]));
                name(property, values).map_or(is.clone(), |name| self.shared.use_of(name, is))
            }
        }
    }

    /// Returns the rule that a check asks for.
    fn rule(&self) -> Option<TokenStream> {
        let Account::Check(rule) = &self.account else { return None };
        let row = number(rule.get() as u64);
        Some(quote!(&RULES[#row]))
    }

    /// Returns whether all of these are known to hold.
    pub(super) fn all_hold(&self, conditions: &'a [Condition]) -> Vec<Expression> {
        conditions.iter().map(|condition| self.holds(condition)).collect()
    }

    /// Returns whether it is known to hold.
    pub(super) fn holds(&self, condition: &'a Condition) -> Expression {
        self.is_known(condition, true)
    }

    /// Returns whether it is known not to hold. A condition on an unknown property is neither.
    pub(super) fn fails(&self, condition: &'a Condition) -> Expression {
        self.is_known(condition, false)
    }

    fn is_known(&self, condition: &'a Condition, so: bool) -> Expression {
        let given = |names: &'a [(String, _)]| names.iter().map(|(name, _)| self.of.is_given(name)).collect();
        let plain = match condition {
            Condition::Given(names) => Expression::all(given(names)),
            Condition::AnyGiven(names) => Expression::any(given(names)),
            Condition::HasForm { parameter, forms } => {
                let has_form = forms.iter().map(|(form, _)| self.has_form(&parameter.0, form, so)).collect();
                // A rule asks about each form, which is not shared, because the answer is noted for that rule.
                return if so {
                    self.named(&parameter.0, forms, Expression::any(has_form))
                } else {
                    Expression::all(has_form)
                };
            }
            Condition::Is { parameter, values: given_values } => {
                let values: Vec<&str> = given_values.iter().map(|(value, _)| value.as_str()).collect();
                self.named(&parameter.0, given_values, self.is_one_of(&parameter.0, &values))
            }
            Condition::AccountIs { property, values } => {
                return Expression::Answered(self.account_is(&property.0, values), so);
            }
            Condition::Relates { parameter, relation, operand, .. } => {
                return self.relates(&parameter.0, if so { *relation } else { relation.negated() }, operand);
            }
            Condition::Not(inner) => return self.is_known(inner, !so),
            Condition::Compares { parameter, comparison, property } => {
                return Expression::Answered(self.compares(&parameter.0, *comparison, &property.0), so);
            }
        };
        if so { plain } else { plain.not() }
    }

    /// Returns a condition on the value of a parameter, as a variable if it is used several times.
    fn named(&self, wire: &str, values: &[Placed], condition: Expression) -> Expression {
        match name(wire, values) {
            Some(name) => condition.shared(name, &self.shared),
            None => condition,
        }
    }

    /// Returns the value of a parameter, as a variable if it belongs to a choice and is used several times.
    fn value(&self, wire: &'a str) -> TokenStream {
        let value = self.of.value(wire);
        match (self.of.find(wire), field_name(wire)) {
            // `to` is the collector of violations.
            (Some(Target::Alternative(..) | Target::Member(_)), Ok(name)) if name != "to" => {
                self.shared.use_of(name, value)
            }
            _ => value,
        }
    }

    /// Returns the decimal value of a number, as an `Option` of a reference.
    fn number(&self, wire: &'a str) -> TokenStream {
        let number = self.value(wire);
        let is_scaled = self.type_of(wire).is_some_and(|ty| ty.scale().is_some());
        if is_scaled { quote!(runtime::emitted::scaled_value(#number)) } else { number }
    }

    /// Returns the type of a parameter, unless it decides a choice.
    fn type_of(&self, wire: &'a str) -> Option<Type> {
        match self.of.find(wire)? {
            Target::Plain(one) | Target::Alternative(_, _, one) => one.shape.element(),
            Target::Member(member) => member.shape().and_then(Shape::element),
            Target::Decider(..) => None,
        }
    }

    /// Returns a comparison as an `Option<bool>`.
    fn compares(&self, wire: &'a str, comparison: Comparison, property: &str) -> TokenStream {
        let rule = self.rule();
        match comparison {
            Comparison::Among => {
                let text = self.of.text(wire).map_or(quote!(None), |text| text.optional());
                quote!(to.is_among(#rule, #text, #property))
            }
            Comparison::NotBefore => {
                let time = self.time(wire);
                quote!(to.is_not_before(#rule, #time, #property))
            }
            Comparison::MultipleOf => {
                let number = self.number(wire);
                quote!(to.is_multiple_of(#rule, #number, #property))
            }
            Comparison::Places => {
                let number = self.number(wire);
                quote!(to.fits_places(#rule, #number, #property))
            }
            Comparison::AtLeast => {
                let number = self.number(wire);
                quote!(to.is_at_least(#rule, #number, #property))
            }
            Comparison::AtMost => {
                let number = self.number(wire);
                quote!(to.is_at_most(#rule, #number, #property))
            }
        }
    }

    /// Returns the value of a time as an `Option` of a reference to a timestamp.
    fn time(&self, wire: &'a str) -> TokenStream {
        let time = self.value(wire);
        let is_plain = match self.of.find(wire) {
            Some(Target::Plain(one) | Target::Alternative(_, _, one)) => is_timestamp(&one.shape),
            Some(Target::Decider(..) | Target::Member(_)) | None => true,
        };
        if is_plain { time } else { quote!(#time.map(|time| time.timestamp()).as_ref()) }
    }

    /// Returns whether a value has a relation to an operand. An unknown value has neither a relation nor its negation.
    fn relates(&self, wire: &'a str, relation: Relation, operand: &'a Operand) -> Expression {
        let (function, so) = match relation {
            Relation::Below => ("is_below", true),
            Relation::NotBelow => ("is_below", false),
            Relation::Above => ("is_above", true),
            Relation::NotAbove => ("is_above", false),
        };
        let ty = self.type_of(wire);
        let is_time = ty.is_some_and(Type::is_time);
        let value = |wire: &'a str| if is_time { self.time(wire) } else { self.number(wire) };
        let (function, own) = (ident(function), value(wire));
        let compared = match operand {
            Operand::Number(number) => {
                let bare = ty
                    .filter(|ty| !ty.is_decimal())
                    .and_then(|_| trees::whole(number))
                    .map(ToTokens::into_token_stream);
                let number = bare.unwrap_or_else(|| quote!(runtime::Decimal::literal(#number)));
                quote!(to.#function(#own, Some(&#number)))
            }
            Operand::Parameter(other) => {
                let other = value(other);
                quote!(to.#function(#own, #other))
            }
            Operand::Moment { length, is_ahead } => {
                let function = ident(if function == "is_below" { "is_before" } else { "is_after" });
                let length = optional(length.map(trees::length));
                quote!(to.#function(#own, to.moment(#length, #is_ahead)))
            }
        };
        Expression::Equals(compared, quote!(Some(#so)))
    }

    /// Returns whether a text is known to have a form, or known not to.
    fn has_form(&self, wire: &'a str, form: &str, so: bool) -> Expression {
        let is = |plain: Expression| if so { plain } else { plain.not() };
        let never = || Expression::Known(!so);
        let Some(Target::Plain(parameter)) = self.of.find(wire) else { return never() };
        let Some(index) = parameter.shape.single_identifier() else { return never() };
        let identifier = &self.of.scope.family.identifiers[index];
        let Some(form) = identifier.forms.iter().find(|known| known.name.wire == form) else { return never() };
        let (field, has_form) = (self.of.field(parameter), ident(&form_function(form)));
        if let Some(Decided { by: (flag, _), .. }) = &form.decided {
            let decided = |text: TokenStream| {
                let asked = self.instrument_decides(wire, &text, flag);
                quote!(#text.#has_form().or_else(|| #asked))
            };
            let known = match parameter.is_required() {
                true => decided(field),
                false => {
                    let decided = decided(quote!(text));
                    quote!(#field.as_ref().map_or(Some(false), |text| #decided))
                }
            };
            return match self.account {
                Account::Check(_) => Expression::Answered(known, so),
                Account::Bare => is(Expression::Atom(quote!(#known.unwrap_or(assumed)))),
            };
        }
        if parameter.is_required() {
            return is(Expression::Atom(quote!(#field.#has_form())));
        }
        let name = self.of.scope.named(&identifier.name.rust);
        is(Expression::Atom(quote!(#field.as_ref().is_some_and(#name::#has_form))))
    }

    /// Returns whether a flag of the instrument of this name is set, as an `Option<bool>`.
    fn instrument_decides(&self, wire: &str, text: &TokenStream, flag: &str) -> TokenStream {
        match self.rule() {
            Some(rule) => quote!(to.instrument_is(#rule, #wire, #text.as_str(), #flag)),
            None => {
                let family = &self.of.scope.family.name;
                quote!(known.instrument_is(#family, #text.as_str(), #flag))
            }
        }
    }

    fn is_one_of(&self, wire: &'a str, values: &[&str]) -> Expression {
        match self.of.find(wire) {
            Some(Target::Plain(parameter)) => self.plain_is_one_of(&self.of.base, parameter, values),
            Some(Target::Member(member)) => {
                self.of.member_is(&member, |base, inner| self.plain_is_one_of(base, inner, values))
            }
            Some(Target::Decider(outer, enum_index)) => {
                let (field, variants) = (self.of.field(outer), self.variants(enum_index, values));
                if outer.is_required() {
                    return is_among(&quote!(#field.kind()), &variants);
                }
                let is = is_among(&quote!(chosen.kind()), &variants).tokens();
                Expression::Atom(quote!(#field.as_ref().is_some_and(|chosen| #is)))
            }
            Some(Target::Alternative(..)) | None => Expression::Known(false),
        }
    }

    fn variants(&self, enum_index: usize, values: &[&str]) -> Vec<TokenStream> {
        let all = &self.of.scope.family.enums[enum_index];
        let name = self.of.scope.named(&all.name.rust);
        let known = values.iter().filter_map(|value| all.index_of(value)).map(|index| &all.values[index]);
        known
            .map(|EnumValue { name: value, .. }| {
                let variant = ident(&value.rust);
                quote!(#name::#variant)
            })
            .collect()
    }

    fn plain_is_one_of(&self, base: &TokenStream, parameter: &Parameter, values: &[&str]) -> Expression {
        let field = ident(&parameter.name.rust);
        let place = quote!(#base.#field);
        let values: Vec<TokenStream> = match parameter.shape.single().and_then(Type::compared) {
            Some(Compared::Enum(index)) => self.variants(index, values),
            Some(Compared::Boolean) => values.iter().map(|value| truth(value)).collect(),
            Some(Compared::Whole) => {
                values.iter().filter_map(|value| trees::whole(value)).map(ToTokens::into_token_stream).collect()
            }
            Some(Compared::Text) => return text_is_one_of(&place, parameter, values),
            None => return Expression::Known(false),
        };
        if parameter.is_required() { is_among(&place, &values) } else { is_some_among(&place, &values) }
    }
}

/// Returns, of `category` with `USDT-FUTURES` and `COIN-FUTURES`, the name `category_is_usdt_or_coin_futures`.
fn name(wire: &str, values: &[Placed]) -> Option<String> {
    let values: Vec<String> =
        values.iter().map(|(value, _)| field_name(&format!("is_{value}")).ok()).collect::<Option<_>>()?;
    let words: Vec<Vec<&str>> = values.iter().map(|value| value.split('_').skip(1).collect()).collect();
    let (last, others) = words.split_last()?;
    let is_shared = |at: usize| {
        others.iter().all(|words| words.len() > at && words.iter().rev().nth(at - 1) == last.iter().rev().nth(at - 1))
    };
    let shared = if others.is_empty() { 0 } else { (1..last.len()).take_while(|at| is_shared(*at)).count() };
    let others = others.iter().map(|words| words[..words.len() - shared].join("_"));
    let values: Vec<String> = others.chain([last.join("_")]).collect();
    Some(format!("{}_is_{}", field_name(wire).ok()?.trim_start_matches("r#"), values.join("_or_")))
}

fn text_is_one_of(place: &TokenStream, parameter: &Parameter, values: &[&str]) -> Expression {
    Expression::Atom(if parameter.is_required() {
        quote!([#(#values),*].contains(&#place.as_str()))
    } else {
        quote!(#place.as_ref().is_some_and(|value| [#(#values),*].contains(&value.as_str())))
    })
}

fn truth(value: &str) -> TokenStream {
    if value == "true" { quote!(true) } else { quote!(false) }
}

/// An expression of type `bool` that is printed with as few parentheses as possible.
pub(super) enum Expression {
    /// A value known when the code is generated, such as whether a required parameter is set.
    Known(bool),
    /// An expression that binds tighter than `!`.
    Atom(TokenStream),
    /// A comparison, which needs parentheses after `!`.
    Equals(TokenStream, TokenStream),
    /// A question about the account or an instrument, and the answer that must be known.
    Answered(TokenStream, bool),
    /// An `Option` that is `Some`.
    IsSome(TokenStream),
    Not(Box<Expression>),
    All(Vec<Expression>),
    Any(Vec<Expression>),
}

impl Expression {
    pub(super) fn all(parts: Vec<Self>) -> Self {
        Self::joined(parts, true, Self::All)
    }

    pub(super) fn any(parts: Vec<Self>) -> Self {
        Self::joined(parts, false, Self::Any)
    }

    pub(super) fn not(self) -> Self {
        match self {
            Self::Known(is) => Self::Known(!is),
            Self::Not(inner) => *inner,
            other @ (Self::Atom(_)
            | Self::Equals(..)
            | Self::Answered(..)
            | Self::IsSome(_)
            | Self::All(_)
            | Self::Any(_)) => Self::Not(Box::new(other)),
        }
    }

    /// Returns the variable of an expression that a function uses several times; an expression that is short enough is
    /// repeated instead.
    pub(super) fn shared(self, name: String, shared: &Shared) -> Self {
        shared.name_of(name, &self.tokens()).map_or(self, |name| Self::Atom(quote!(#name)))
    }

    /// Joins parts: drops known ones equal to `neutral`; a known one of the other value decides the result.
    fn joined(mut parts: Vec<Self>, neutral: bool, many: fn(Vec<Self>) -> Self) -> Self {
        if parts.iter().any(|part| matches!(part, Self::Known(is) if *is != neutral)) {
            return Self::Known(!neutral);
        }
        parts.retain(|part| !matches!(part, Self::Known(_)));
        // What the request decides comes first, so that a question is asked only if its answer matters.
        parts.sort_by_key(Self::asks);
        match parts.len() {
            0 => Self::Known(neutral),
            1 => parts.remove(0),
            _ => many(parts),
        }
    }

    /// Returns whether it asks something about the account or an instrument.
    fn asks(&self) -> bool {
        match self {
            Self::Answered(..) => true,
            Self::Not(inner) => inner.asks(),
            Self::All(parts) | Self::Any(parts) => parts.iter().any(Self::asks),
            Self::Known(_) | Self::Atom(_) | Self::Equals(..) | Self::IsSome(_) => false,
        }
    }

    pub(super) fn tokens(&self) -> TokenStream {
        match self {
            Self::Known(is) => quote!(#is),
            Self::Atom(tokens) => tokens.clone(),
            Self::Equals(left, right) => quote!(#left == #right),
            Self::Answered(question, so) => quote!(#question == Some(#so)),
            Self::IsSome(option) => quote!(#option.is_some()),
            Self::Not(inner) => match &**inner {
                Self::Atom(tokens) => quote!(!#tokens),
                Self::Equals(left, right) => quote!(#left != #right),
                Self::Answered(question, so) => quote!(#question != Some(#so)),
                Self::IsSome(option) => quote!(#option.is_none()),
                other @ (Self::Known(_) | Self::Not(_) | Self::All(_) | Self::Any(_)) => {
                    let other = other.tokens();
                    quote!(!(#other))
                }
            },
            Self::All(parts) => join(parts, &quote!(&&), |part| matches!(part, Self::Any(_))),
            Self::Any(parts) => join(parts, &quote!(||), |part| matches!(part, Self::All(_))),
        }
    }
}

fn join(parts: &[Expression], operator: &TokenStream, needs_brackets: fn(&Expression) -> bool) -> TokenStream {
    let parts: Vec<_> = parts
        .iter()
        .map(|part| {
            let tokens = part.tokens();
            if needs_brackets(part) { quote!((#tokens)) } else { tokens }
        })
        .collect();
    let mut parts = parts.into_iter();
    let first = parts.next();
    quote!(#first #(#operator #parts)*)
}

/// Returns whether `place` is one of these values.
pub(super) fn is_among(place: &TokenStream, values: &[TokenStream]) -> Expression {
    match values {
        [value] => Expression::Equals(place.clone(), value.clone()),
        _ => Expression::Atom(quote!([#(#values),*].contains(&#place))),
    }
}

/// Returns whether the optional `place` is set to one of these values.
pub(super) fn is_some_among(place: &TokenStream, values: &[TokenStream]) -> Expression {
    match values {
        [value] => Expression::Equals(place.clone(), quote!(Some(#value))),
        _ => Expression::Atom(quote!(#place.as_ref().is_some_and(|value| [#(#values),*].contains(value)))),
    }
}

/// The named expressions of one function.
#[derive(Default)]
pub(super) struct Shared {
    seen: RefCell<Vec<Occurrences>>,
    is_binding: Cell<bool>,
}

struct Occurrences {
    name: String,
    tokens: TokenStream,
    times: usize,
}

impl Shared {
    /// Returns the expression, or its variable if it is used several times.
    pub(super) fn use_of(&self, name: String, tokens: TokenStream) -> TokenStream {
        self.name_of(name, &tokens).map_or(tokens, |name| quote!(#name))
    }

    /// Returns the variable of an expression that is used several times. A name belongs to the first expression that
    /// uses it.
    pub(super) fn name_of(&self, name: String, tokens: &TokenStream) -> Option<Ident> {
        let mut seen = self.seen.borrow_mut();
        let Some(known) = seen.iter_mut().find(|known| known.name == name) else {
            seen.push(Occurrences { name, tokens: tokens.clone(), times: 1 });
            return None;
        };
        if known.tokens.to_string() != tokens.to_string() {
            return None;
        }
        if !self.is_binding.get() {
            known.times += 1;
            return None;
        }
        (known.times > 1).then(|| ident(&known.name))
    }

    /// Returns the statements of `write`, after those that evaluate shared expressions. If there are any, `write` runs
    /// twice: once to count uses, once to write.
    pub(super) fn bind(&self, write: impl Fn() -> TokenStream) -> TokenStream {
        let counted = write();
        if self.seen.borrow().iter().all(|seen| seen.times == 1) {
            return counted;
        }
        self.is_binding.set(true);
        let statements = write();
        let seen = self.seen.borrow();
        let bindings = seen.iter().filter(|seen| seen.times > 1).map(|Occurrences { name, tokens, .. }| {
            let name = ident(name);
            quote!(let #name = #tokens;)
        });
        quote!(#(#bindings)* #statements)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compiler::diagnostics::Place;

    #[test]
    fn conditions_are_named_after_what_they_compare() {
        let named = |wire, values: &[&str]| {
            let values: Vec<_> = values.iter().map(|value| ((*value).to_owned(), Place::default())).collect();
            name(wire, &values)
        };
        let all = ["USDT-FUTURES", "COIN-FUTURES", "USDC-FUTURES"];
        assert_eq!(named("category", &all).as_deref(), Some("category_is_usdt_or_coin_or_usdc_futures"));
        assert_eq!(named("orderType", &["limit"]).as_deref(), Some("order_type_is_limit"));
        assert_eq!(named("kind", &["a-b", "b"]).as_deref(), Some("kind_is_a_b_or_b"));
        assert_eq!(named("type", &["1m"]).as_deref(), Some("type_is_1m"));
    }
}
