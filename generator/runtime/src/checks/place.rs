use std::fmt;

/// Where among nested parameters a check stands: `orderList[3]`. Costs nothing until it is written out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'a> {
    outer: Option<&'a Place<'a>>,
    list: &'a str,
    index: usize,
}

impl<'a> Place<'a> {
    /// An item of the list `list`, which is a parameter of `outer`.
    pub(crate) fn item(outer: Option<&'a Place<'a>>, list: &'a str, index: usize) -> Self {
        Self { outer, list, index }
    }

    /// The path to the parameter `name` at `place`.
    pub(crate) fn path(place: Option<&Self>, name: &str) -> String {
        match place {
            None => name.to_owned(),
            Some(place) if name.is_empty() => place.to_string(),
            Some(place) => format!("{place}.{name}"),
        }
    }
}

impl Place<'_> {
    /// The id of the rule `kind` that comes with the description of the parameter `name` at `place`: the path to the
    /// parameter, whichever item it is in, and the kind.
    pub(crate) fn rule(place: Option<&Self>, name: &str, kind: &str) -> String {
        let mut id = String::new();
        if let Some(place) = place {
            place.write_lists(&mut id);
        }
        match (id.is_empty(), name.is_empty()) {
            (_, true) => {}
            (true, false) => id.push_str(name),
            (false, false) => id.extend([".", name]),
        }
        if id.is_empty() { kind.to_owned() } else { id + "." + kind }
    }

    fn write_lists(&self, out: &mut String) {
        if let Some(outer) = self.outer {
            outer.write_lists(out);
            out.push('.');
        }
        out.push_str(self.list);
        out.push_str("[]");
    }
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(outer) = self.outer {
            write!(f, "{outer}.")?;
        }
        write!(f, "{}[{}]", self.list, self.index)
    }
}
