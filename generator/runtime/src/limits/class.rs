use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use crate::json::{Kind, ReadError, Reader};
use crate::parameters::{ParameterWriter, Parameters};
use crate::tables::{RateLimit, Scope};

/// The class of the rows that hold for every call to which no others apply.
pub(super) const DEFAULT: &str = "default";

/// The classes of rate limits that a client's calls belong to, the most special first.
///
/// A limit can hold for a class of accounts or of pairs only ([`RateLimit::class`]). Where the schema says which account
/// and which pair that is, the class follows from the request and from what is told about the account
/// ([`Operation::limit_class`](crate::Operation::limit_class)), and nothing need be said here. What is said here comes
/// first. For each call, and for accounts and addresses apart, the first class counts
/// that the call belongs to and the operation has rows for; its rows take the place of the default ones, and all of
/// them hold together. The calls of a class are counted apart from those of the others.
///
/// ```
/// use tradeapi_runtime::Classes;
///
/// let copy_trader = Classes::new().always("copy-trading");
/// let listed = Classes::new().when("reality-whitelisted", "symbol", |symbol| symbol.starts_with('r'));
/// ```
#[derive(Clone, Default)]
pub struct Classes {
    classes: Vec<Class>,
}

#[derive(Clone)]
struct Class {
    name: Cow<'static, str>,
    when: Option<Condition>,
}

#[derive(Clone)]
struct Condition {
    parameter: Cow<'static, str>,
    holds: Arc<dyn Fn(&str) -> bool + Send + Sync>,
}

impl Classes {
    /// No class: the default rows hold.
    pub fn new() -> Self {
        Self::default()
    }

    /// And every call belongs to the class `name`.
    #[must_use]
    pub fn always(self, name: impl Into<Cow<'static, str>>) -> Self {
        self.with(name.into(), None)
    }

    /// And a call belongs to the class `name` when `holds` says so of the text of its parameter `parameter`; where
    /// it has several of that name, as in a batch, of any of them.
    #[must_use]
    pub fn when(
        self,
        name: impl Into<Cow<'static, str>>,
        parameter: impl Into<Cow<'static, str>>,
        holds: impl Fn(&str) -> bool + Send + Sync + 'static,
    ) -> Self {
        let condition = Condition { parameter: parameter.into(), holds: Arc::new(holds) };
        self.with(name.into(), Some(condition))
    }

    fn with(mut self, name: Cow<'static, str>, when: Option<Condition>) -> Self {
        self.classes.push(Class { name, when });
        self
    }

    /// The class whose rows hold within `scope`, as the table writes it; `None` for the default ones.
    pub(super) fn choose(
        &self,
        limits: &'static [RateLimit],
        scope: Scope,
        parameters: &impl Parameters,
    ) -> Option<&'static str> {
        self.classes.iter().find_map(|class| {
            let row = limits.iter().find(|row| row.scope == scope && row.class == class.name)?;
            // Asked last, for it is the only question that costs something.
            class.when.as_ref().is_none_or(|condition| condition.holds_for(parameters)).then_some(row.class)
        })
    }
}

impl Condition {
    fn holds_for(&self, parameters: &impl Parameters) -> bool {
        let mut json = ParameterWriter::json();
        parameters.write(&mut json);
        // What was just written can be read.
        any_named(&mut Reader::new(&json.finish()), &self.parameter, &*self.holds).unwrap_or(false)
    }
}

/// Whether `holds` of a member `name` somewhere in the value that comes next.
fn any_named(from: &mut Reader<'_>, name: &str, holds: &dyn Fn(&str) -> bool) -> Result<bool, ReadError> {
    let mut found = false;
    match from.peek() {
        Kind::Object => {
            let mut members = from.object(&[])?;
            while let Some(member) = members.next_name(from)? {
                let is_single = !matches!(from.peek(), Kind::Object | Kind::Array | Kind::Null);
                if is_single && member == name {
                    found |= holds(&from.scalar()?);
                } else {
                    found |= any_named(from, name, holds)?;
                }
            }
        }
        Kind::Array => {
            let mut elements = from.array()?;
            while elements.next(from)?.is_some() {
                found |= any_named(from, name, holds)?;
            }
        }
        _ => from.skip()?,
    }
    Ok(found)
}

impl fmt::Debug for Classes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.classes.iter().map(|class| &class.name)).finish()
    }
}
