//! Windows: pairs of times that bound a query.

use crate::compiler::diagnostics::{Code, Diagnostics, Place};
use crate::compiler::model::{Api, Duration, Family, Lookup, Role, Type, Window, WireNames};

/// Checks the windows of a family's operations.
pub(super) fn check(_api: &Api, family: &Family, to: &mut Diagnostics) {
    for operation in &family.operations {
        let names = family.names(operation.members());
        if let Some(window) = &operation.window {
            ends_are_times(window, &names, to);
            default_fits(window, to);
            span_fits(window, to);
        }
    }
}

fn ends_are_times(window: &Window, names: &WireNames<'_>, to: &mut Diagnostics) {
    for (key, (name, place)) in [("from", &window.from), ("to", &window.to)] {
        end_is_time(key, name, *place, names, to);
    }
    if window.from.0 == window.to.0 {
        to.at(window.to.1, Code::BadWindow, format!("`from` and `to` of the window are both `{0}`", window.to.0))
            .related(window.from.1, "`from` is here")
            .help("name the parameter with the end of the range");
    }
}

fn end_is_time(key: &str, name: &str, place: Place, names: &WireNames<'_>, to: &mut Diagnostics) {
    let found = match names.find(name) {
        Lookup::Found(found) => found,
        Lookup::Missing(help) => {
            to.at(place, Code::UndefinedName, format!("unknown parameter `{name}` as `{key}` of the window"))
                .help(help);
            return;
        }
        Lookup::Unresolved => return,
    };
    if !matches!(found.role, Role::Plain(parameter) if parameter.shape.is_one(Type::is_time)) {
        to.at(place, Code::BadWindow, format!("expected a `time` as `{key}` of the window, found `{name}`"))
            .related(found.name.place, "the parameter is here")
            .help("name a parameter of the type `time`");
    }
}

/// The default is not longer than the limits.
fn default_fits(window: &Window, to: &mut Diagnostics) {
    let Some((default, _)) = window.default else { return };
    let limits = [("span", window.span), ("access", window.access)];
    let mut limits = limits.into_iter().filter_map(|(key, limit)| Some((key, limit?.0)));
    if let Some((key, limit)) = limits.find(|(_, limit)| milliseconds(default, 28) > milliseconds(*limit, 31)) {
        to.at(window.place, Code::BadWindow, format!("`default` {default} is longer than `{key}` {limit}"))
            .help("swap them, or correct one of them");
    }
}

/// The span is not longer than the access.
fn span_fits(window: &Window, to: &mut Diagnostics) {
    let (Some((span, _)), Some((access, _))) = (window.span, window.access) else { return };
    if milliseconds(span, 28) > milliseconds(access, 31) {
        to.at(window.place, Code::BadWindow, format!("`span` {span} is longer than `access` {access}"))
            .help("swap them, or correct one of them");
    }
}

/// Returns the length in milliseconds if a month has this many days.
fn milliseconds(length: Duration, days_of_month: u64) -> u64 {
    const DAY: u64 = 24 * 60 * 60 * 1000;
    length.milliseconds().unwrap_or(u64::from(length.n) * days_of_month * DAY)
}
