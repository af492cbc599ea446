//! Validation by an OpenAPI document, with an independent JSON Schema library.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use tradeapi_tests::json_schema::JsonSchema;

/// The schemas of a document, ready to validate.
pub(crate) struct OpenApiValidator<'a> {
    document: &'a Value,
    operations: BTreeMap<&'a str, Operation<'a>>,
}

struct Operation<'a> {
    body: Option<(&'a Value, JsonSchema)>,
    query: Vec<Parameter<'a>>,
    answer: JsonSchema,
}

struct Parameter<'a> {
    name: &'a str,
    is_required: bool,
    schema: &'a Value,
    validator: JsonSchema,
}

impl<'a> OpenApiValidator<'a> {
    pub(crate) fn new(document: &'a Value) -> Self {
        let mut validator = Self { document, operations: BTreeMap::new() };
        let paths = document["paths"].as_object().unwrap().values();
        for operation in paths.flat_map(|methods| methods.as_object().unwrap().values()) {
            let id = operation["operationId"].as_str().unwrap();
            validator.operations.insert(id, validator.operation(operation));
        }
        validator
    }

    fn operation(&self, operation: &'a Value) -> Operation<'a> {
        let body = operation.get("requestBody").map(|body| &body["content"]["application/json"]["schema"]);
        let parameters = operation["parameters"].as_array().into_iter().flatten();
        let parameters = parameters.map(|parameter| self.resolve(parameter));
        Operation {
            body: body.map(|schema| (schema, self.validator(schema))),
            query: parameters
                .filter(|parameter| parameter["in"] == "query")
                .map(|parameter| self.parameter(parameter))
                .collect(),
            answer: self.validator(&operation["responses"]["200"]["content"]["application/json"]["schema"]),
        }
    }

    fn parameter(&self, parameter: &'a Value) -> Parameter<'a> {
        let schema = &parameter["schema"];
        Parameter {
            name: parameter["name"].as_str().unwrap(),
            is_required: parameter["required"] == true,
            schema: self.resolve(schema),
            validator: self.validator(schema),
        }
    }

    fn validator(&self, schema: &Value) -> JsonSchema {
        let whole = json!({"components": self.document["components"], "allOf": [schema]});
        JsonSchema::draft2020(&whole)
    }

    fn resolve(&self, value: &'a Value) -> &'a Value {
        match value["$ref"].as_str() {
            Some(reference) => self.document.pointer(reference.trim_start_matches('#')).unwrap(),
            None => value,
        }
    }

    /// Returns the mistakes of a request.
    pub(crate) fn request(&self, operation: &str, request: &Value) -> Vec<String> {
        let operation = &self.operations[operation];
        match &operation.body {
            Some((schema, validator)) => [validator.mistakes(request), self.strangers(schema, request)].concat(),
            None => operation.query_faults(request),
        }
    }

    /// Returns the mistakes of an answer's body.
    pub(crate) fn answer(&self, operation: &str, answer: &Value) -> Vec<String> {
        self.operations[operation].answer.mistakes(answer)
    }

    /// Returns the undocumented members, which JSON Schema allows.
    fn strangers(&self, schema: &'a Value, request: &Value) -> Vec<String> {
        if let Some(items) = request.as_array() {
            return items.iter().flat_map(|item| self.strangers(&schema["items"], item)).collect();
        }
        let known = self.members(schema);
        let names = request.as_object().into_iter().flat_map(|members| members.keys());
        names.filter(|name| !known.contains(name.as_str())).map(|name| format!("`{name}` is unknown")).collect()
    }

    /// Returns the members that a schema defines, directly or by reference.
    fn members(&self, schema: &'a Value) -> BTreeSet<&'a str> {
        let schema = self.resolve(schema);
        let own = schema["properties"].as_object().into_iter().flat_map(|members| members.keys().map(String::as_str));
        let inner = ["allOf", "oneOf"].into_iter().flat_map(|word| schema[word].as_array().into_iter().flatten());
        own.chain(inner.flat_map(|inner| self.members(inner))).collect()
    }
}

impl Operation<'_> {
    fn query_faults(&self, request: &Value) -> Vec<String> {
        let members = request.as_object().unwrap();
        let is_known = |name: &str| self.query.iter().any(|parameter| parameter.name == name);
        let strangers = members.keys().filter(|name| !is_known(name)).map(|name| format!("`{name}` is unknown"));
        let parameters = self.query.iter().flat_map(|parameter| match members.get(parameter.name) {
            Some(value) => parameter.validator.mistakes(&parameter.typed(value)),
            None if parameter.is_required => vec![format!("`{}` is missing", parameter.name)],
            None => Vec::new(),
        });
        strangers.chain(parameters).collect()
    }
}

impl Parameter<'_> {
    /// Returns the parameters of a query with the types of the schema.
    fn typed(&self, value: &Value) -> Value {
        let number = value.as_str().and_then(|text| text.parse::<u64>().ok());
        number.filter(|_| self.schema["type"] == "integer").map_or_else(|| value.clone(), Value::from)
    }
}
