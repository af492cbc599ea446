//! The class of rate limits that a request belongs to.

use proc_macro2::TokenStream;
use quote::quote;

use super::conditions::Conditions;
use super::expression::Expression;
use super::scope::Scope;
use crate::compiler::model::{Class, Condition, Operation};

/// The function that returns the classes, if the operation has limits by class and the request determines it.
///
/// Classes are tried in the order of the schema. A class is skipped if its condition names a parameter that the
/// operation lacks; only the caller knows whether it applies. There are two if an instrument decides that is not known:
/// the one if its flag is set, and the one if it is not.
pub(super) fn limit_class<'a>(scope: &'a Scope<'a>, operation: &'a Operation) -> Option<TokenStream> {
    let parameters = operation.body.parameters();
    let has = |name: &str| parameters.iter().any(|parameter| parameter.name.wire == name);
    let is_known = |class: &&Class| class.when.iter().flat_map(Condition::names).all(has);
    let has_rows = |class: &&Class| operation.rates.iter().any(|rate| rate.class == class.name);
    let conditions = Conditions::of_account(scope, parameters);
    let classes: Vec<&Class> = scope.family.classes.iter().filter(has_rows).filter(is_known).collect();
    let answer = |class: &&'a Class| {
        let (name, is) = (&class.name, Expression::all(conditions.all_hold(&class.when)).tokens());
        quote!(if #is { return Some(#name); })
    };
    let answers = conditions.shared.bind(|| classes.iter().map(answer).collect());
    if answers.is_empty() {
        return None;
    }
    let asks = |condition: &Condition| condition.property().is_some() || is_decided(scope, operation, condition);
    let conditions = || classes.iter().flat_map(|class| &class.when);
    let known = if conditions().any(asks) { quote!(known) } else { quote!(_known) };
    let body = match conditions().any(|condition| is_decided(scope, operation, condition)) {
        true => quote! {
            let class = |assumed: bool| -> Option<&'static str> {
                #answers
                None
            };
            [class(true), class(false)]
        },
        false => quote! {
            let class = || -> Option<&'static str> {
                #answers
                None
            };
            [class(); 2]
        },
    };
    Some(quote! {
        fn limit_class(&self, #known: runtime::account::Known<'_>) -> [Option<&'static str>; 2] {
            #body
        }
    })
}

/// Returns whether a condition is about a form that an instrument decides.
fn is_decided(scope: &Scope<'_>, operation: &Operation, condition: &Condition) -> bool {
    let Condition::HasForm { parameter, forms } = condition else {
        return matches!(condition, Condition::Not(inner) if is_decided(scope, operation, inner));
    };
    let parameters = operation.body.parameters().iter().filter(|known| known.name.wire == parameter.0);
    let known = parameters.filter_map(|parameter| scope.family.identifier_of(&parameter.shape));
    let mut known = known.flat_map(|identifier| &identifier.forms);
    known.any(|form| form.decided.is_some() && forms.iter().any(|(name, _)| *name == form.name.wire))
}
