//! The drawing of a lifecycle: states in a row, documented transitions above them, and what the documents leave open
//! below.

use super::docs::html;
use crate::compiler::model::{Enum, Family, Lifecycle, Next, Possible};

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
        let target = if one.to.state().is_none() { Some(from) } else { one.next_in(all) };
        target == Some(to) && lifecycle.starts_from(all, one, from)
    });
    leading.map(|(number, one)| Label { number, is_rejected: one.to == Next::Rejected }).collect()
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
