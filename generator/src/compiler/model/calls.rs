//! The place where requests name the call of their operation.

use crate::compiler::diagnostics::Place;

/// The members of a request that name its call.
#[derive(Clone, Debug)]
pub(crate) struct Calls {
    pub(crate) id: Option<String>,
    /// The member with the name; `None` if the name is only signed.
    pub(crate) method: Option<String>,
    /// The member with the parameters; `None` if the parameters are members themselves.
    pub(crate) params: Option<String>,
    /// Where the schema describes them; `None` if they follow JSON-RPC 2.0.
    pub(crate) place: Option<Place>,
}

impl Default for Calls {
    /// The members of JSON-RPC 2.0.
    fn default() -> Self {
        let named = |name: &str| Some(name.to_owned());
        Self { id: named("id"), method: named("method"), params: named("params"), place: None }
    }
}

impl Calls {
    /// Members that every call begins with.
    pub(crate) fn fixed(&self) -> &'static [(&'static str, &'static str)] {
        if self.place.is_none() { &[("jsonrpc", "2.0")] } else { &[] }
    }

    /// The members beside the parameters.
    pub(crate) fn members(&self) -> impl Iterator<Item = &str> {
        let fixed = self.fixed().iter().map(|(name, _)| *name);
        fixed.chain(self.id.as_deref()).chain(self.method.as_deref())
    }

    /// The body of the call `name` with these parameters.
    #[cfg(feature = "cli")]
    pub(crate) fn body(&self, name: &str, parameters: serde_json::Value) -> serde_json::Value {
        let fixed = self.fixed().iter().map(|(member, value)| ((*member).to_owned(), (*value).into()));
        let id = self.id.iter().map(|member| (member.clone(), 1.into()));
        let method = self.method.iter().map(|member| (member.clone(), name.into()));
        let mut body: serde_json::Map<_, serde_json::Value> = fixed.chain(id).chain(method).collect();
        match (&self.params, parameters) {
            (Some(member), parameters) => _ = body.insert(member.clone(), parameters),
            (None, serde_json::Value::Object(own)) => body.extend(own),
            // The body of a call is an object, so there is no other case.
            (None, parameters) => return parameters,
        }
        body.into()
    }
}
