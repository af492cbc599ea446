//! JSON Schema, by a library that shares nothing with the generator.

use boon::{Compiler, Draft, SchemaIndex, Schemas, ValidationError};
use serde_json::Value;

/// The name under which the library knows the schema; nothing is read from there.
const NAME: &str = "schema.json";

/// A schema, ready to validate.
pub struct JsonSchema {
    schemas: Schemas,
    index: SchemaIndex,
}

impl JsonSchema {
    /// Compiles a schema of draft 7.
    pub fn draft7(schema: &Value) -> Self {
        Self::compile(schema, Draft::V7)
    }

    /// Compiles a schema of draft 2020-12.
    pub fn draft2020(schema: &Value) -> Self {
        Self::compile(schema, Draft::V2020_12)
    }

    fn compile(schema: &Value, draft: Draft) -> Self {
        let (mut compiler, mut schemas) = (Compiler::new(), Schemas::new());
        compiler.set_default_draft(draft);
        compiler.add_resource(NAME, schema.clone()).expect("the name is a URL");
        let index = compiler.compile(NAME, &mut schemas).unwrap_or_else(|error| panic!("{error:#}"));
        Self { schemas, index }
    }

    /// Returns the mistakes of a document, each with its place.
    pub fn mistakes(&self, document: &Value) -> Vec<String> {
        let mut mistakes = Vec::new();
        if let Err(error) = self.schemas.validate(document, self.index) {
            collect(&error, &mut mistakes);
        }
        mistakes
    }
}

/// Mistakes are a tree; its leaves say what is wrong.
fn collect(error: &ValidationError<'_, '_>, mistakes: &mut Vec<String>) {
    if error.causes.is_empty() {
        mistakes.push(format!("{}: {}", error.instance_location, error.kind));
    }
    error.causes.iter().for_each(|cause| collect(cause, mistakes));
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::JsonSchema;

    #[test]
    fn each_mistake_has_its_place() {
        let schema = json!({
            "properties": {"a": {"type": "integer"}, "b": {"$ref": "#/definitions/word"}},
            "required": ["a"],
            "definitions": {"word": {"pattern": "^[a-z]+$"}},
        });
        for schema in [JsonSchema::draft7(&schema), JsonSchema::draft2020(&schema)] {
            assert_eq!(schema.mistakes(&json!({"a": 1, "b": "x"})), [""; 0]);
            let mistakes = schema.mistakes(&json!({"a": "1", "b": "X"}));
            assert!(mistakes.len() == 2 && mistakes.iter().any(|one| one.starts_with("/b: ")), "{mistakes:?}");
            assert_eq!(schema.mistakes(&json!({})).len(), 1);
        }
    }
}
