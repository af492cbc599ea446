//! A second reader of YAML, which has to accept the files of a schema, so that they mean the same to every YAML tool.

/// Reads a file; the error says why it cannot be read, with the line and the column.
pub(crate) fn read(text: &str) -> Result<(), (String, Option<(usize, usize)>)> {
    let read = serde_yaml::from_str::<serde::de::IgnoredAny>(text);
    read.map(drop).map_err(|error| (error.to_string(), error.location().map(|at| (at.line(), at.column()))))
}
