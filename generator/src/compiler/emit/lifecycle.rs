//! Lifecycles: the table of states, the functions of its enum, and the records that show a state.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Expr;

use super::code::{File, Item, ident};
use super::docs::{Docs, code, escape};
use super::lifecycle_drawing::draw;
use super::scope::{Scope, as_timestamp};
use super::{orders, trees};
use crate::compiler::model::{
    Api, Effect, Exclusion, Family, Lifecycle, Next, Possible, Record, Tracked, Transition, Type,
};

/// Returns `lifecycle.rs` of a family.
pub(super) fn emit(api: &Api, family: &Family, lifecycle: &Lifecycle) -> File {
    let scope = Scope::new(family);
    let mut items = vec![table(family, lifecycle), state_impls(&scope, lifecycle).into()];
    items.extend(lifecycle.records.iter().map(|tracked| record_impl(api, &scope, lifecycle, tracked).into()));
    items.insert(0, scope.imports(&[]));
    File::new(Docs::new(&format!("The lifecycle states of the {} operations.", family.title), "").inner(), items)
}

fn possible(possible: Possible) -> Expr {
    let word = match possible {
        Possible::Yes => "Yes",
        Possible::No => "No",
        Possible::Unspecified => "Unspecified",
    };
    trees::path(&["runtime", "lifecycle", "Possible", word])
}

fn table(family: &Family, lifecycle: &Lifecycle) -> Item {
    let all = lifecycle.states_of(family);
    let indices = || 0..all.values.len();
    let rows = indices().map(|index| {
        let becomes = indices().map(|to| possible(lifecycle.can_become(all, index, to)));
        let fields = [
            ("value", trees::text(&all.values[index].name.wire)),
            ("doc", trees::text(lifecycle.state(all, index).map_or("", |state| state.doc.as_str()))),
            ("is_terminal", trees::truth(lifecycle.is_terminal(all, index))),
            ("can_cancel", possible(lifecycle.takes(family, Effect::Cancel, index))),
            ("can_modify", possible(lifecycle.takes(family, Effect::Amend, index))),
            ("becomes", trees::list(becomes)),
        ];
        structure("StateRow", fields)
    });
    let transitions = trees::list(lifecycle.transitions.iter().map(transition));
    let declaration = quote! {
        /// The states, and the transitions between them.
        pub const LIFECYCLE: runtime::lifecycle::Lifecycle = ();
    };
    let value = structure("Lifecycle", [("states", trees::list(rows)), ("transitions", transitions)]);
    Item::Text(trees::constant(declaration, value))
}

fn transition(transition: &Transition) -> Expr {
    let Transition { place: _, from, trigger, to, condition, doc } = transition;
    let next = |name| trees::path(&["runtime", "lifecycle", "Next", name]);
    let next = match to {
        Next::Unchanged => next("Unchanged"),
        Next::Rejected => next("Rejected"),
        Next::State(state) => trees::call(next("State"), [trees::text(state)]),
    };
    let fields = [
        ("from", trees::texts(from.iter().map(String::as_str))),
        ("triggers", trees::texts(trigger.iter().map(|trigger| trigger.text.as_str()))),
        ("next", next),
        ("condition", trees::text(condition)),
        ("doc", trees::text(doc)),
    ];
    structure("Transition", fields)
}

/// Returns a value of a type of `runtime::lifecycle`.
fn structure<const N: usize>(ty: &str, fields: [trees::Field; N]) -> Expr {
    let fields = fields.into_iter().map(|(name, value)| (ident(name), value));
    Expr::Struct(trees::structure(&["runtime", "lifecycle", ty], fields))
}

fn state_impls(scope: &Scope<'_>, lifecycle: &Lifecycle) -> TokenStream {
    let name = scope.ty(Type::Enum(lifecycle.enum_index));
    let can_cancel = effect_docs(scope.family, lifecycle, Effect::Cancel).outer();
    let can_modify = effect_docs(scope.family, lifecycle, Effect::Amend).outer();
    let can_become = becomes_docs(scope.family, lifecycle).outer();
    quote! {
        impl runtime::lifecycle::State for #name {
            const LIFECYCLE: &'static runtime::lifecycle::Lifecycle = &LIFECYCLE;
        }

        impl #name {
            /// Returns whether this state is final. Nothing is known about an undocumented one, so it is not final.
            pub fn is_terminal(&self) -> bool {
                runtime::lifecycle::State::is_terminal(self)
            }

            #can_cancel
            pub fn can_cancel(&self) -> runtime::lifecycle::Possible {
                runtime::lifecycle::State::can_cancel(self)
            }

            #can_modify
            pub fn can_modify(&self) -> runtime::lifecycle::Possible {
                runtime::lifecycle::State::can_modify(self)
            }

            #can_become
            pub fn can_become(&self, next: &Self) -> runtime::lifecycle::Possible {
                runtime::lifecycle::State::can_become(self, next)
            }
        }
    }
}

fn word(possible: Possible) -> &'static str {
    match possible {
        Possible::Yes => "yes",
        Possible::No => "no",
        Possible::Unspecified => "not shown",
    }
}

/// Documents for each state whether the operations take effect, by which transitions, and under which condition.
fn effect_docs(family: &Family, lifecycle: &Lifecycle, effect: Effect) -> Docs {
    let all = lifecycle.states_of(family);
    let verb = if effect == Effect::Cancel { "cancel" } else { "amend" };
    let mut docs = Docs::default();
    docs.markdown(&format!(
        "Returns whether an operation can {verb} what is in this state, as far as the documents state."
    ));
    for (index, value) in all.values.iter().enumerate() {
        let takes = lifecycle.takes(family, effect, index);
        let shown = lifecycle.transitions.iter().enumerate().filter(|(_, transition)| {
            transition.to != Next::Rejected
                && lifecycle.starts_from(all, transition, index)
                && transition.has_effect(family, effect)
        });
        let conditions: Vec<_> =
            shown.filter(|(_, one)| !one.condition.is_empty()).map(|(_, one)| escape(&one.condition)).collect();
        let conditions = if takes == Possible::Yes { conditions.join(" Or: ") } else { String::new() };
        docs.entry(format!("{}: {}. {conditions}", code(&value.name.wire), word(takes)).trim_end());
    }
    docs
}

/// Documents for each pair of states whether one can become the other.
fn becomes_docs(family: &Family, lifecycle: &Lifecycle) -> Docs {
    let all = lifecycle.states_of(family);
    let mut docs = Docs::default();
    docs.markdown(
        "Returns whether this state can become another: yes if a documented transition leads there, no if the documents exclude \
         it, also through other states.",
    );
    docs.gap();
    let heads: Vec<_> = all.wires().map(code).collect();
    docs.line(format!("| from | {} |", heads.join(" | ")));
    docs.line(format!("|---|{}", "---|".repeat(heads.len())));
    for (from, head) in heads.iter().enumerate() {
        let cells: Vec<_> = (0..heads.len()).map(|to| word(lifecycle.can_become(all, from, to))).collect();
        docs.line(format!("| {head} | {} |", cells.join(" | ")));
    }
    docs
}

fn record_impl(api: &Api, scope: &Scope<'_>, lifecycle: &Lifecycle, tracked: &Tracked) -> TokenStream {
    let (name, state) = (scope.ty(Type::Record(tracked.record)), scope.ty(Type::Enum(lifecycle.enum_index)));
    let fields = &scope.family.records[tracked.record].fields;
    let field = |wire: &str| fields.iter().find(|field| field.name.wire == wire).map(|field| ident(&field.name.rust));
    let found =
        |wire: &Option<(String, crate::compiler::diagnostics::Place)>| wire.as_ref().and_then(|(wire, _)| field(wire));
    let id = |wire| match found(wire) {
        Some(field) => quote!(self.#field.as_ref().map(|id| id.as_str())),
        None => quote!(None),
    };
    let (id, client_id, state_field) = (id(&tracked.id), id(&tracked.client_id), field(&tracked.state.0));
    let time = |wire: &str| {
        let field = fields.iter().find(|field| field.name.wire == wire)?;
        let name = ident(&field.name.rust);
        Some(as_timestamp(&field.shape, quote!(self.#name)))
    };
    let at = tracked.at.as_ref().and_then(|(wire, _)| time(wire)).unwrap_or_else(|| quote!(None));
    // The records of a family name it alike.
    let confirms = scope.family.operations.iter().filter_map(|operation| operation.confirm.as_ref());
    let created = confirms.filter_map(|confirm| confirm.created.as_ref()).find_map(|field| time(&field.text));
    let created = created.map(|created| {
        quote! {
            fn created(&self) -> Option<runtime::Timestamp> {
                #created
            }
        }
    });
    let kind = orders::kind_of(scope.family, &scope.family.records[tracked.record]).map(|field| {
        let field = ident(&field.name.rust);
        quote! {
            fn kind(&self) -> Option<&str> {
                self.#field.as_ref().map(|kind| kind.as_str())
            }
        }
    });
    let properties = properties(api, scope.family, &scope.family.records[tracked.record]);
    quote! {
        impl runtime::lifecycle::HasState for #name {
            type State = #state;

            fn id(&self) -> Option<&str> {
                #id
            }

            fn client_id(&self) -> Option<&str> {
                #client_id
            }

            fn state(&self) -> Option<&#state> {
                self.#state_field.as_ref()
            }

            fn at(&self) -> Option<runtime::Timestamp> {
                #at
            }

            #created
            #kind
            #properties
        }
    }
}

/// Returns the function that returns the properties of the account that a record shows.
fn properties(api: &Api, family: &Family, record: &Record) -> Option<TokenStream> {
    let account = api.account.as_ref()?;
    let shown: Vec<_> = account
        .shown_in(family, record)
        .map(|(property, field)| {
            let (name, field) = (&property.name.wire, ident(&field.name.rust));
            quote!(if let Some(value) = &self.#field { see(#name, value.as_str()); })
        })
        .collect();
    (!shown.is_empty()).then(|| {
        quote! {
            fn show_properties(&self, see: &mut dyn FnMut(&'static str, &str)) {
                #(#shown)*
            }
        }
    })
}

/// Adds the states, a diagram of them and a table of the transitions.
pub(super) fn add(docs: &mut Docs, family: &Family, lifecycle: &Lifecycle) {
    for state in &lifecycle.states {
        let last = if state.terminal { " Nothing follows it." } else { "" };
        docs.entry(&format!("{}: {}{last}", code(&state.value), escape(&state.doc)));
    }
    docs.html(draw(family, lifecycle, None));
    docs.markdown(
        "A solid line is a change that the documents show, with the number of its row. A dashed line is one that they \
         neither show nor rule out, such as a fill. States with a double frame are final.",
    );
    docs.gap();
    docs.line("| | from | what happens | when | becomes |".to_owned());
    docs.line("|---|---|---|---|---|".to_owned());
    let cells = |texts: &[String]| texts.iter().map(|text| code(text)).collect::<Vec<_>>().join(", ");
    let triggers = |one: &Transition| cells(&one.trigger.iter().map(ToString::to_string).collect::<Vec<_>>());
    for (number, transition) in (1..).zip(&lifecycle.transitions) {
        docs.line(format!(
            "| {number} | {} | {} | {} | {} |",
            cells(&transition.from),
            triggers(transition),
            escape(&transition.condition),
            becomes(&transition.to)
        ));
    }
    docs.gap();
    for (number, transition) in (1..).zip(&lifecycle.transitions).filter(|(_, one)| !one.doc.is_empty()) {
        docs.entry(&format!("{number}: {}", escape(&transition.doc)));
    }
    if !lifecycle.never.is_empty() {
        docs.markdown("Excluded:");
    }
    for never in &lifecycle.never {
        let what = match &never.what {
            Exclusion::Becoming(states) => format!("becomes {}", cells(states)),
            Exclusion::Operations(names) => {
                let names: Vec<_> = names.iter().map(|name| code(&name.text)).collect();
                format!("is changed by {}", names.join(", "))
            }
        };
        let at = if never.at.is_empty() { String::new() } else { format!(" ({})", escape(&never.at)) };
        docs.entry(&format!("{} {what}: {}{at}", cells(&never.from), escape(&never.why)));
    }
}

fn becomes(next: &Next) -> String {
    match next {
        Next::Unchanged => "the same".to_owned(),
        Next::Rejected => "the same; the change is rejected".to_owned(),
        Next::State(state) => code(state),
    }
}
