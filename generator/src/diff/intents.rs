//! Constructors that are named after what somebody wants, and how many amendments may be under way.

use super::aspect::{Aspect, aspect, list, maybe, prose};
use super::class::{Verdict, additive, behaviour, breaking, documentation};
use super::found::{Found, Thing};
use super::pairs::pairs;
use super::scope::{Scope, path};
use crate::model::{Family, InFlight, Intent, Need, Operation, Parameter, Setting};

pub(super) fn compare(to: &mut Found, scope: &Scope<'_>, old: &Operation, new: &Operation) {
    let pairs = pairs(&old.intents, &new.intents, |intent| [&intent.id, &intent.rust]);
    let thing = |intent: &Intent| Thing::new("intent", path(&new.id, &intent.id), intent.place);
    for gone in pairs.removed {
        to.removed(&thing(gone), breaking("its function is gone"));
    }
    for (older, newer) in pairs.both {
        let versions = Versions { scope, old: (old, older), new: (new, newer) };
        to.compare(&thing(newer), versions.aspects());
    }
    for more in pairs.added {
        to.added(&thing(more), additive("a new function"));
    }
}

/// Two versions of an intent, each with its operation.
struct Versions<'a> {
    scope: &'a Scope<'a>,
    old: (&'a Operation, &'a Intent),
    new: (&'a Operation, &'a Intent),
}

impl Versions<'_> {
    fn aspects(&self) -> [Aspect; 7] {
        let (old, new) = (self.old.1, self.new.1);
        let within = |intent: &Intent| maybe(intent.within.as_ref().map(|(list, _)| list.clone()));
        let (older, newer) = (self.arguments(self.scope.old, self.old), self.arguments(self.scope.new, self.new));
        let takes_others = || breaking("its function takes other arguments");
        let is_told = settings(&old.set) != settings(&new.set);
        let set: Verdict = if older == newer { behaviour("something else is sent") } else { takes_others() };
        let arguments = |names: String| if is_told { String::new() } else { names };
        [
            aspect("rust", &old.rust, &new.rust, breaking("its function has another name")),
            aspect("in", within(old), within(new), breaking("its function makes something else")),
            aspect("set", settings(&old.set), settings(&new.set), set),
            aspect("take", arguments(older), arguments(newer), takes_others()),
            aspect("call", settings(&old.call), settings(&new.call), documentation("arguments have other names")),
            aspect("at", &old.at, &new.at, documentation("")),
            prose("says", &old.says, &new.says),
        ]
    }

    /// The arguments as far as the intent decides on them: what is new, gone or required otherwise is told of the
    /// parameter, and the order of what is required of all arguments.
    fn arguments(&self, family: &Family, of: (&Operation, &Intent)) -> String {
        let (old, new) = (parameters(self.old), parameters(self.new));
        let is_required = |all: &[Parameter], wire: &str| {
            all.iter().find(|parameter| parameter.name.wire == wire).map(|parameter| parameter.need == Need::Always)
        };
        let is_as_before = |parameter: &&Parameter| {
            let wire = &parameter.name.wire;
            is_required(old, wire).is_some() && is_required(old, wire) == is_required(new, wire)
        };
        let all = of.1.arguments(family, parameters(of)).into_iter().filter(is_as_before);
        let (required, taken): (Vec<_>, Vec<_>) = all.partition(|parameter| parameter.need == Need::Always);
        let name = |parameter: &Parameter| parameter.name.wire.clone();
        let mut names: Vec<_> = required.into_iter().map(name).collect();
        names.sort_unstable();
        names.extend(taken.into_iter().map(name));
        list(names)
    }
}

/// The parameters of the request, or of the items that the intent makes.
fn parameters<'a>((operation, intent): (&'a Operation, &Intent)) -> &'a [Parameter] {
    operation.set_of(intent.within.as_ref().map(|(list, _)| list))
}

fn settings(all: &[Setting]) -> String {
    list(all.iter().map(|setting| format!("{} = {}", setting.name, setting.text)))
}

/// What the gate keeps of an operation that amends.
pub(super) fn in_flight(to: &mut Found, operation: &Thing, old: Option<&InFlight>, new: Option<&InFlight>) {
    let thing = |all: &InFlight| Thing::new("in_flight", operation.path.as_str(), all.place);
    match (old, new) {
        (None, None) => {}
        (Some(gone), None) => to.removed(&thing(gone), breaking("it is no `Amendment` any more")),
        (None, Some(more)) => to.added(&thing(more), additive("it is an `Amendment`")),
        (Some(old), Some(new)) => {
            let kept = || behaviour("what the gate keeps");
            to.compare(
                &thing(new),
                [
                    aspect("n", old.n, new.n, kept()),
                    aspect("per", &old.per.0, &new.per.0, kept()).at(None, Some(new.per.1)),
                ],
            );
        }
    }
}
