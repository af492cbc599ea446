"""A second opinion on an OpenAPI document: is it one, and which requests and answers does it take?

Reads {"document": .., "calls": [{"operation", "request", "response"}], "requests": [..]} from standard input and
writes what it found as JSON. It shares no code with what wrote the document.
"""

import json
import sys

from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator

MANGLED = {"no": ["such", "value"]}


class Document:
    def __init__(self, document):
        self.document = document
        self.operations = {
            operation["operationId"]: operation
            for methods in document["paths"].values()
            for operation in methods.values()
        }

    def resolve(self, value):
        while "$ref" in value:
            target = self.document
            for part in value["$ref"].removeprefix("#/").split("/"):
                target = target[part]
            value = target
        return value

    def faults(self, schema, value):
        whole = {"components": self.document["components"], "allOf": [schema]}
        return [error.message[:200] for error in Draft202012Validator(whole).iter_errors(value)]

    def names(self, schema):
        """The members that a schema knows, whichever way it comes to them."""
        schema = self.resolve(schema)
        known = set(schema.get("properties", {}))
        for word in ("allOf", "oneOf", "anyOf"):
            for inner in schema.get(word, []):
                known |= self.names(inner)
        return known

    def strangers(self, schema, value):
        schema = self.resolve(schema)
        if isinstance(value, list):
            return [fault for item in value for fault in self.strangers(schema["items"], item)]
        known = self.names(schema)
        return [f"`{name}` is unknown" for name in value if name not in known]

    def request_faults(self, operation, request):
        operation = self.operations[operation]
        if "requestBody" in operation:
            schema = operation["requestBody"]["content"]["application/json"]["schema"]
            return self.faults(schema, request) + self.strangers(schema, request)
        return self.query_faults(operation, request)

    def query_faults(self, operation, request):
        parameters = [self.resolve(parameter) for parameter in operation.get("parameters", [])]
        parameters = {parameter["name"]: parameter for parameter in parameters if parameter["in"] == "query"}
        faults = [f"`{name}` is unknown" for name in request if name not in parameters]
        for name, parameter in parameters.items():
            if name in request:
                faults += self.faults(parameter["schema"], self.typed(parameter["schema"], request[name]))
            elif parameter.get("required"):
                faults.append(f"`{name}` is missing")
        return faults

    def typed(self, schema, text):
        """A query is text; its schema says what the text stands for."""
        if self.resolve(schema).get("type") == "integer" and isinstance(text, str) and text.isdigit():
            return int(text)
        return text

    def answer_faults(self, operation, answer):
        content = self.operations[operation]["responses"]["200"]["content"]
        return self.faults(content["application/json"]["schema"], answer)


def mangled(value):
    """The same with one member that cannot be, for each member."""
    if isinstance(value, list):
        return [([*value[:index], item, *value[index + 1 :]], name) for index, whole in enumerate(value) for item, name in mangled(whole)]
    return [({**value, name: MANGLED}, name) for name in value]


def main():
    given = json.load(sys.stdin)
    document = Document(given["document"])
    found = {"document": [error.message for error in OpenAPIV31SpecValidator(given["document"]).iter_errors()]}
    found["examples"], found["mangled"] = [], []
    for call in given["calls"]:
        operation, request, response = call["operation"], call["request"], call["response"]
        for fault in document.request_faults(operation, request) + document.answer_faults(operation, response):
            found["examples"].append(f"{operation}: {fault}")
        for wrong, name in mangled(request):
            if not document.request_faults(operation, wrong):
                found["mangled"].append(f"{operation}: {name}")
    found["requests"] = [not document.request_faults(one["operation"], one["request"]) for one in given["requests"]]
    json.dump(found, sys.stdout)


main()
