//! Lifecycles: the table of states, the functions of its enum, the records that show a state, and the drawing: states in
//! a row, documented transitions above them, and what the documents leave open below.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Expr;

use super::code::{File, Item, ident};
use super::docs::{Docs, code, escape, html};
use super::scope::{Scope, as_timestamp};
use super::{orders, trees};
use crate::compiler::model::{
    Api, Effect, Enum, Exclusion, Family, Lifecycle, Possible, Record, Tracked, Transition, Type,
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
    let Transition { from, condition, doc, .. } = transition;
    let next = |name| trees::path(&["runtime", "lifecycle", "Next", name]);
    let next = match transition.to.as_str() {
        "unchanged" => next("Unchanged"),
        "rejected" => next("Rejected"),
        state => trees::call(next("State"), [trees::text(state)]),
    };
    let fields = [
        ("from", trees::texts(from.iter().map(String::as_str))),
        ("triggers", trees::texts(transition.trigger.iter().map(|trigger| trigger.text.as_str()))),
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
            transition.to != "rejected"
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

fn becomes(state: &str) -> String {
    match state {
        "unchanged" => "the same".to_owned(),
        "rejected" => "the same; the change is rejected".to_owned(),
        state => code(state),
    }
}

const BOX_HEIGHT: usize = 32;
const GAP: usize = 60;
const PORT: usize = 14;
const MARGIN: usize = 8;
/// The height of a line of text, and the width of a letter.
const LINE: usize = 22;
const LETTER: usize = 7;

/// A line from one state to another, or to itself.
struct Edge {
    from: usize,
    to: usize,
    labels: Vec<Label>,
    is_shown: bool,
}

/// The transitions of a line.
struct Label {
    /// The position of the transition in the table, counted from 1.
    number: usize,
    is_rejected: bool,
}

/// The targets of links in a drawing.
pub(crate) struct Links<'a> {
    pub(crate) state: &'a dyn Fn(&str) -> String,
    pub(crate) transition: &'a dyn Fn(usize) -> String,
    /// The link of a trigger; `None` if it is not an operation.
    pub(crate) trigger: &'a dyn Fn(&str) -> Option<String>,
}

/// A state in the drawing.
struct StateBox {
    x: usize,
    width: usize,
}

/// Returns the lines of an SVG, none of them empty. With links, it also lists the cause of each transition.
pub(crate) fn draw(family: &Family, lifecycle: &Lifecycle, links: Option<&Links<'_>>) -> Vec<String> {
    let all = lifecycle.states_of(family);
    let edges = edges(all, lifecycle);
    let nodes = nodes(all, &edges);
    let deepest = |is_shown| {
        let spans = edges.iter().filter(|edge| edge.is_shown == is_shown).map(|edge| edge.from.abs_diff(edge.to));
        spans.max().map_or(0, |span| bend(span) * 3 / 4)
    };
    let (above, below) = (deepest(true) + 24, deepest(false) + 12);
    let width = nodes.last().map_or(0, |node| node.x + node.width) + MARGIN;
    let legend = links.map(|links| legend(lifecycle, links, width, above + BOX_HEIGHT + below)).unwrap_or_default();
    let height = above + BOX_HEIGHT + below + legend.len() * LINE;
    // The content of an image is neither read aloud nor reached by keyboard.
    let role = if links.is_some() { "group" } else { "img" };
    let label = format!("Lifecycle of {}", html(&all.name.wire));
    let mut lines = vec![
        "<div>".to_owned(),
        format!(
            "<svg viewBox=\"0 0 {width} {height}\" width=\"{width}\" role=\"{role}\" aria-label=\"{label}\" \
             style=\"max-width:100%;height:auto\" fill=\"none\" stroke=\"currentColor\" font-size=\"13\" \
             text-anchor=\"middle\">"
        ),
    ];
    for (index, node) in nodes.iter().enumerate() {
        let wire = &all.values[index].name.wire;
        let shape = boxed(node, above, wire, lifecycle.is_terminal(all, index));
        lines.extend(linked(links.map(|links| (links.state)(wire)), shape));
    }
    for edge in &edges {
        lines.extend(drawn(edge, &edges, &nodes, above, links));
    }
    lines.extend(legend);
    lines.extend(["</svg>", "</div>"].map(str::to_owned));
    lines
}

fn edges(all: &Enum, lifecycle: &Lifecycle) -> Vec<Edge> {
    let states = || 0..all.values.len();
    let mut edges = Vec::new();
    for (from, to) in states().flat_map(|from| states().map(move |to| (from, to))) {
        let labels = labels(all, lifecycle, from, to);
        let is_open = from != to && lifecycle.can_become(all, from, to) == Possible::Unspecified;
        if is_open || !labels.is_empty() {
            edges.push(Edge { from, to, labels, is_shown: !is_open });
        }
    }
    edges
}

/// Returns the numbers of the transitions from one state to another; transitions that change nothing lead back to the
/// same state.
fn labels(all: &Enum, lifecycle: &Lifecycle, from: usize, to: usize) -> Vec<Label> {
    let leading = (1..).zip(&lifecycle.transitions).filter(|(_, one)| {
        let target = match one.to.as_str() {
            "unchanged" | "rejected" => Some(from),
            state => all.index_of(state),
        };
        target == Some(to) && lifecycle.starts_from(all, one, from)
    });
    leading.map(|(number, one)| Label { number, is_rejected: one.to == "rejected" }).collect()
}

/// Returns the states, each as wide as its name and the lines at it require.
fn nodes(all: &Enum, edges: &[Edge]) -> Vec<StateBox> {
    let mut x = MARGIN;
    let node = |(index, wire): (usize, &str)| {
        let ports = [true, false].map(|is_shown| ports(edges, index, is_shown).len() * PORT + PORT);
        let width = ports.into_iter().max().unwrap_or_default().max(wire.chars().count() * 8 + 20);
        let node = StateBox { x, width };
        x += width + GAP;
        node
    };
    all.wires().enumerate().map(node).collect()
}

/// Returns the ends of lines at one side of a state, from left to right, with as few crossings as possible.
fn ports(edges: &[Edge], node: usize, is_shown: bool) -> Vec<(usize, bool)> {
    let mut ends = Vec::new();
    for (index, edge) in edges.iter().enumerate().filter(|(_, edge)| edge.is_shown == is_shown) {
        if edge.from == node {
            ends.push((rank(node, edge.to), index, true));
        }
        if edge.to == node {
            ends.push((rank(node, edge.from), index, false));
        }
    }
    ends.sort_unstable();
    ends.into_iter().map(|(_, index, starts)| (index, starts)).collect()
}

/// Sorts lines that lead to the left before lines that lead to the right: the nearest first on the left, and last on
/// the right.
fn rank(node: usize, other: usize) -> (usize, usize) {
    match other.cmp(&node) {
        std::cmp::Ordering::Less => (0, node - other),
        std::cmp::Ordering::Equal => (1, 0),
        std::cmp::Ordering::Greater => (2, usize::MAX - other),
    }
}

fn boxed(node: &StateBox, y: usize, wire: &str, is_terminal: bool) -> Vec<String> {
    let frame = |inset: usize| {
        format!(
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"6\"/>",
            node.x + inset,
            y + inset,
            node.width - 2 * inset,
            BOX_HEIGHT - 2 * inset
        )
    };
    let mut lines = vec![frame(0)];
    if is_terminal {
        lines.push(frame(3));
    }
    lines.push(text(node.x + node.width / 2, y + BOX_HEIGHT / 2 + 4, &html(wire)));
    lines
}

/// Returns a text whose words are already escaped.
fn text(x: usize, y: usize, text: &str) -> String {
    format!("<text x=\"{x}\" y=\"{y}\" fill=\"currentColor\" stroke=\"none\">{text}</text>")
}

fn linked(to: Option<String>, mut lines: Vec<String>) -> Vec<String> {
    if let Some(to) = to {
        lines.insert(0, format!("<a href=\"{}\">", html(&to)));
        lines.push("</a>".to_owned());
    }
    lines
}

/// Returns the cause of each transition, in lines as wide as the drawing.
fn legend(lifecycle: &Lifecycle, links: &Links<'_>, width: usize, top: usize) -> Vec<String> {
    let mut rows = Vec::new();
    for (number, one) in (1..).zip(&lifecycle.transitions) {
        let mut row = linked(Some((links.transition)(number)), vec![number.to_string()]).concat();
        let mut letters = 4;
        for (index, name) in one.trigger.iter().map(|name| name.text.as_str()).enumerate() {
            row.push_str(if index == 0 { " " } else { ", " });
            letters += name.chars().count() + 2;
            if letters * LETTER > width {
                rows.push(std::mem::take(&mut row));
                letters = name.chars().count() + 2;
            }
            row.push_str(&linked((links.trigger)(name), vec![html(name)]).concat());
        }
        rows.push(row);
    }
    let line = |(index, row): (usize, &String)| {
        let y = top + (index + 1) * LINE - 5;
        format!(
            "<text x=\"{MARGIN}\" y=\"{y}\" fill=\"currentColor\" stroke=\"none\" text-anchor=\"start\">{row}</text>"
        )
    };
    rows.iter().enumerate().map(line).collect()
}

/// Returns the height of a line's bend; its top is at three quarters of it.
fn bend(span: usize) -> usize {
    if span == 0 { 40 } else { 28 + 32 * span }
}

fn drawn(edge: &Edge, edges: &[Edge], nodes: &[StateBox], top: usize, links: Option<&Links<'_>>) -> Vec<String> {
    let end = |node: usize, starts: bool| {
        let ports = ports(edges, node, edge.is_shown);
        let place = ports.iter().position(|(index, start)| *start == starts && std::ptr::eq(&edges[*index], edge));
        let left = nodes[node].x + (nodes[node].width - ports.len().saturating_sub(1) * PORT) / 2;
        left + place.unwrap_or_default() * PORT
    };
    let (from, to) = (end(edge.from, true), end(edge.to, false));
    let bend = bend(edge.from.abs_diff(edge.to));
    let (y, peak, head) = if edge.is_shown {
        (top, top.saturating_sub(bend), top.saturating_sub(8))
    } else {
        (top + BOX_HEIGHT, top + BOX_HEIGHT + bend, top + BOX_HEIGHT + 8)
    };
    let dashes = if edge.is_shown { "" } else { " stroke-dasharray=\"4 3\"" };
    let mut lines = vec![
        format!("<path d=\"M{from} {y} C{from} {peak} {to} {peak} {to} {y}\"{dashes}/>"),
        format!(
            "<path d=\"M{to} {y} L{} {head} L{} {head} Z\" fill=\"currentColor\" stroke=\"none\"/>",
            to - 4,
            to + 4
        ),
    ];
    let label = |label: &Label| {
        let words = if label.is_rejected { format!("{} rejected", label.number) } else { label.number.to_string() };
        linked(links.map(|links| (links.transition)(label.number)), vec![words]).concat()
    };
    if !edge.labels.is_empty() {
        let labels: Vec<_> = edge.labels.iter().map(label).collect();
        lines.push(text((from + to) / 2, top - bend * 3 / 4 - 4, &labels.join(", ")));
    }
    lines
}
