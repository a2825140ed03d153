"""Read an OpenAPI document into what the reference page shows."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

METHODS = ("get", "post", "put", "patch", "delete")
DEEPEST = 4
EXAMPLES = {"string": "…", "integer": 1, "number": 1.5, "boolean": True, "array": [], "object": {}, "null": None}
Schema = dict[str, Any]


@dataclass(frozen=True)
class Field:
    """One thing that is sent or answered: `guests[].name`, what it is, whether it must be there."""

    name: str
    type: str
    required: bool
    description: str


@dataclass(frozen=True)
class Answer:
    """What comes back with a status."""

    status: str
    description: str
    fields: list[Field]
    headers: list[Field]


@dataclass(frozen=True)
class Operation:
    """One method of one path."""

    id: str
    method: str
    path: str
    summary: str
    description: str
    parameters: list[Field]
    body_type: str
    body: list[Field]
    answers: list[Answer]
    errors: list[Answer]
    curl: str


@dataclass(frozen=True)
class Chapter:
    """The operations on one noun."""

    noun: str
    operations: list[Operation]


class Reference:
    """An OpenAPI document whose references can be followed."""

    def __init__(self, document: Schema, address: str) -> None:
        self._document = document
        self._address = address

    def chapters(self) -> list[Chapter]:
        """Return all operations, by noun: those on the whole list come first, then in the document's order."""
        found: dict[str, list[Operation]] = {}
        for path, methods in self._document["paths"].items():
            for method in METHODS:
                if method in methods:
                    noun = methods[method].get("tags", ["other"])[0]
                    found.setdefault(noun, []).append(self._operation(path, method, methods[method]))
        return [
            Chapter(noun, sorted(operations, key=lambda one: (one.path.count("/"), not one.path.endswith(f"/{noun}"))))
            for noun, operations in found.items()
        ]

    def problem_fields(self) -> list[Field]:
        return list(self._fields({"$ref": "#/components/schemas/Problem"}))

    def _operation(self, path: str, method: str, found: Schema) -> Operation:
        text: str = found.get("description") or found["summary"]
        summary, _, description = text.partition("\n")
        media_type, body = _content(found.get("requestBody", {}))
        return Operation(
            id=re.sub(r"\W+", "-", f"{method}{path.removeprefix('/api/v1')}").strip("-"),
            method=method.upper(),
            path=path,
            summary=summary.strip(),
            description=description.strip(),
            parameters=[self._parameter(p) for p in found.get("parameters", [])],
            body_type=media_type,
            body=list(self._fields(body)),
            answers=[self._answer(s, a) for s, a in found["responses"].items() if s < "300"],
            errors=[self._error(s, a) for s, a in sorted(found["responses"].items()) if s >= "300"],
            curl=self._curl(path, method, found, media_type, body),
        )

    def _parameter(self, found: Schema) -> Field:
        name = "If-Match" if found["name"] == "if-match" else found["name"]
        where = f"{self._type(found['schema'])}, in the {found['in']}"
        return Field(name, where, found.get("required", False), found.get("description", ""))

    def _answer(self, status: str, found: Schema) -> Answer:
        media_type, schema = _content(found)
        words = self._resolve(schema).get("description", "") if media_type.endswith("json") else media_type
        return Answer(status, words or "No content.", list(self._fields(schema)), self._headers(found))

    def _error(self, status: str, found: Schema) -> Answer:
        resolved = self._resolve(found)
        return Answer(status, resolved["description"], [], self._headers(resolved))

    def _headers(self, found: Schema) -> list[Field]:
        headers = {name: self._resolve(header) for name, header in found.get("headers", {}).items()}
        return [Field(name, self._type(h["schema"]), h["required"], h["description"]) for name, h in headers.items()]

    def _fields(self, schema: Schema, prefix: str = "", depth: int = 0) -> Iterator[Field]:
        schema = self._resolve(schema)
        for branch in _branches(schema):
            yield from self._fields(branch, prefix, depth)
        if "items" in schema:
            yield from self._fields(schema["items"], f"{prefix}[]", depth)
        for name, field in schema.get("properties", {}).items():
            whole = f"{prefix}.{name}" if prefix else name
            text = field.get("description", "")
            yield Field(whole, self._type(field), name in schema.get("required", []), text)
            if depth < DEEPEST:
                yield from self._fields(field, whole, depth + 1)

    def _type(self, schema: Schema) -> str:
        schema = self._resolve(schema)
        if "enum" in schema or "const" in schema:
            return " or ".join(json.dumps(value) for value in schema.get("enum", [schema.get("const")]))
        if branches := _branches(schema):
            return " or ".join(dict.fromkeys(self._type(branch) for branch in branches))
        if schema.get("type") == "array":
            return f"array of {self._type(schema.get('items', {}))}"
        return schema.get("format") or " or ".join(_types(schema)) or "any"

    def _resolve(self, schema: Schema) -> Schema:
        reference = schema.get("$ref")
        if reference is None:
            return schema
        target: Schema = self._document
        for part in reference.removeprefix("#/").split("/"):
            target = target[part]
        return target

    def _example(self, schema: Schema) -> Any:
        schema = self._resolve(schema)
        if "examples" in schema or "default" in schema or "const" in schema:
            return schema.get("examples", [schema.get("default", schema.get("const"))])[0]
        if "enum" in schema:
            return schema["enum"][0]
        for branch in _branches(schema):
            return self._example(branch)
        if "items" in schema:
            return [self._example(schema["items"])]
        if "properties" in schema:
            wanted = schema.get("required") or list(schema["properties"])[:1]
            return {name: self._example(schema["properties"][name]) for name in wanted}
        return EXAMPLES.get(next(iter(_types(schema)), ""), "…")

    def _curl(self, path: str, method: str, found: Schema, media_type: str, body: Schema) -> str:
        words = ["curl"] + ([f"-X {method.upper()}"] if method != "get" else [])
        if found.get("security"):
            words.append('-H "Authorization: Bearer $KEY"')
        if any(p["name"] == "if-match" for p in found.get("parameters", [])):
            words.append("-H 'If-Match: \"1\"'")
        if body:
            example = json.dumps(self._example(body), ensure_ascii=False)
            words += [f"-H 'Content-Type: {media_type}'", f"-d '{example}'"]
        return " \\\n  ".join([*words, f"'{self._address}{path}'" if "{" in path else f"{self._address}{path}"])


def _branches(schema: Schema) -> list[Schema]:
    return schema.get("anyOf") or schema.get("oneOf") or []


def _types(schema: Schema) -> list[str]:
    found = schema.get("type") or []
    return [found] if isinstance(found, str) else found


def _content(found: Schema) -> tuple[str, Schema]:
    """Return the first media type of a body or answer, and its schema."""
    for media_type, content in found.get("content", {}).items():
        return media_type, content.get("schema", {})
    return "", {}
