use super::member::{Member, members};
use super::{ParameterWriter, Parameters};
use crate::json::{Reader, read_json};

/// The texts of the parameters with these names, each where it is set.
pub(crate) fn texts_of(parameters: &impl Parameters, names: &[&str]) -> Vec<Option<String>> {
    let mut out = ParameterWriter::json();
    parameters.write(&mut out);
    let json = out.finish();
    // What was just written can be read.
    let members = members(&mut Reader::new(&json)).unwrap_or_default();
    let text_of = |name: &str| {
        let member: &Member<'_> = members.iter().find(|member| member.name == name)?;
        read_json::<Option<String>>(&member.json).ok().flatten()
    };
    names.iter().map(|name| text_of(name)).collect()
}
