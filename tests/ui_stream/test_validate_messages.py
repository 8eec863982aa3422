"""`validate_messages` judges and cleans as the reference does, and never raises on what comes from outside."""

from __future__ import annotations

import json
import sys
from types import MappingProxyType
from typing import Any

import pytest

from aisdk_lab.errors import MissingExtra
from aisdk_lab.ui_stream.json_schema import SchemaProblem, read_schema
from aisdk_lab.ui_stream.validate_messages import MessagesVerdict, validate_messages
from tests.conftest import GOLDEN

AREA = GOLDEN / "validate_messages"
RECORDED, MORE = (
    [json.loads(line) for line in (AREA / name).read_bytes().splitlines()]
    for name in ("validate_messages.jsonl", "more.jsonl")
)
CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}


def judged(given: dict[str, Any]) -> MessagesVerdict:
    return validate_messages(
        given["messages"],
        tools=given.get("tools"),
        data_schemas=given.get("dataSchemas"),
        metadata_schema=given.get("metadataSchema"),
    )


def text(**keys: Any) -> list[dict[str, Any]]:
    return [{"id": "a", "role": "assistant", "parts": [{"type": "text", "text": "x", **keys}]}]


def data(value: Any) -> list[dict[str, Any]]:
    return [{"id": "a", "role": "assistant", "parts": [{"type": "data-n", "data": value}]}]


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = {"in": [value]}
    return value


# ── as recorded ──────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("case", [*RECORDED, *MORE], ids=lambda case: case["name"])
def test_the_verdict_is_that_of_the_reference(case: dict[str, Any]) -> None:
    verdict, expect = judged(case["input"]), case["expect"]
    assert verdict.success is expect["success"]
    if expect["success"]:
        assert json.dumps(verdict.data) == json.dumps(expect["data"]), "the order of keys counts"
        return
    assert verdict.error is not None
    assert verdict.error.name == expect["error"]["name"]
    assert [list(issue.path) for issue in verdict.issues] == [issue["path"] for issue in expect["issues"] or []]
    if verdict.error.field is None:
        assert [issue.message for issue in verdict.issues] == [issue["message"] for issue in expect["issues"] or []]


@pytest.mark.parametrize("case", [case for case in RECORDED if not case["expect"]["success"]], ids=lambda c: c["name"])
def test_the_message_begins_as_the_reference_does(case: dict[str, Any]) -> None:
    error = judged(case["input"]).error
    assert error is not None
    assert error.message.startswith(case["expect"]["error"]["message"])


@pytest.mark.parametrize("case", [case for case in MORE if not case["expect"]["success"]], ids=lambda c: c["name"])
def test_the_error_names_what_failed_and_gives_the_references_own_causes(case: dict[str, Any]) -> None:
    error, expect = judged(case["input"]).error, case["expect"]["error"]
    assert error is not None
    named = {"field": error.field, "entityName": error.entity_name, "entityId": error.entity_id}
    assert named == {key: expect.get(key) for key in named}
    head, _, _ = error.message.partition("\nError message: ")
    assert (error.message if case["expect"]["issues"] is None else head) == expect["message"]


# ── hostile values ───────────────────────────────────────────────────────────────────────────────────────────────────


def test_deep_nesting_gives_a_verdict() -> None:
    deep = nested(50_000)
    assert validate_messages(data(deep)).success
    assert validate_messages(text(providerMetadata={"m": {"k": deep}})).success
    assert not validate_messages(deep).success
    assert not validate_messages(text(state=deep)).success


def test_a_value_too_deep_for_its_schema_fails_it() -> None:
    tree = {"type": "object", "properties": {"in": {"type": "array", "items": {"$ref": "#"}}}}
    verdict = validate_messages(data(nested(50_000)), data_schemas={"n": tree})
    assert [issue.message for issue in verdict.issues] == ["nested too deeply to be checked against the schema"]


@pytest.mark.parametrize("number", [float("nan"), float("inf"), 10**400, {1, 2}, b"x"])
def test_what_is_no_json_value_is_refused_in_metadata_with_its_place(number: Any) -> None:
    verdict = validate_messages(text(providerMetadata={"m": {"k": [0, number]}}))
    assert [issue.path for issue in verdict.issues] == [(0, "parts", 0, "providerMetadata", "m", "k", 1)]
    assert verdict.issues[0].message.startswith("Invalid JSON value.")


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 10**400, -(10**5000)], ids=["nan", "inf", "big", "long"])
@pytest.mark.parametrize("schema", [{"type": "number"}, {"type": "number", "multipleOf": 0.1}, {"multipleOf": 3.5}])
def test_numbers_that_javascript_does_not_have_never_raise(value: Any, schema: Any) -> None:
    assert not validate_messages(data([value]), data_schemas={"n": {"items": schema}}).success
    validate_messages(text(text=value, citations=[{"source": {}, "startIndex": value}]))


def test_halves_of_characters_and_odd_keys_never_raise() -> None:
    assert validate_messages(text(text="\ud83d", providerMetadata={"\ud83d": {"\ude00": 1}})).success
    odd = {3: {None: 1}, (1,): 4}
    assert not validate_messages(text(text=["\ud83d"], providerMetadata=odd)).success
    assert not validate_messages(data(odd), data_schemas={"n": {"patternProperties": {"^a": {}}}}).success


def test_a_schema_sees_tuples_and_mappings_as_json() -> None:
    value = MappingProxyType({"city": ("Oslo",)})
    schema = {"type": "object", "properties": {"city": {"type": "array", "items": {"type": "string"}}}}
    assert validate_messages(data(value), data_schemas={"n": schema}).success


def test_the_given_messages_stay_as_they_are_and_are_not_shared() -> None:
    messages = text(junk=1, providerMetadata={"m": {"k": [1]}})
    before = json.dumps(messages)
    verdict = validate_messages(messages, tools={})
    assert verdict.data is not None
    verdict.data[0]["parts"][0]["providerMetadata"]["m"]["k"].append(2)
    assert json.dumps(messages) == before


# ── schemas of the caller ────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("schema", "says"),
    [
        ({"$schema": "https://example.com/own"}, "unknown dialect.*'https://example.com/own'.*draft/2020-12"),
        ({"$schema": 7}, "unknown dialect"),
        ({"type": "text"}, "broken JSON Schema: 'text'.*data_schemas\\['n'\\]\\['type'\\]"),
        ({"pattern": "("}, "broken JSON Schema"),
        ({"properties": {"a": 3}}, "broken JSON Schema"),
        ("object", "no JSON Schema: expected an object or a boolean, got 'object'"),
    ],
)
def test_a_broken_schema_is_named_whatever_the_messages_are(schema: Any, says: str) -> None:
    with pytest.raises(SchemaProblem, match=rf"(?s)data_schemas\['n'\].*({says})"):
        validate_messages([], data_schemas={"n": schema})


def test_a_schema_nested_too_deeply_is_broken() -> None:
    schema: Any = {}
    for _ in range(5_000):
        schema = {"allOf": [schema]}
    with pytest.raises(SchemaProblem, match=r"data_schemas\['n'\] is a broken JSON Schema: RecursionError"):
        validate_messages([], data_schemas={"n": schema})


def test_a_schema_that_only_refers_to_itself_judges_nothing_and_fails() -> None:
    assert not validate_messages(data(1), data_schemas={"n": {"$ref": "#"}}).success


def test_issues_of_references_inside_come_with_their_paths() -> None:
    schema = {"$ref": "#/$defs/city", "$defs": {"city": CITY}}
    (issue,) = validate_messages(data({}), data_schemas={"n": schema}).issues
    assert (issue.path, issue.message) == (("city",), "'city' is a required property")


@pytest.mark.parametrize(
    "reference", ["https://example.com/schema.json", "other.json", "#/$defs/none", "file:///etc/hosts"]
)
def test_a_reference_out_of_the_schema_is_never_fetched(reference: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("somebody opened a URL")

    monkeypatch.setattr("urllib.request.urlopen", refuse)
    with pytest.raises(SchemaProblem, match=r"data_schemas\['n'\] refers to .*nothing is fetched"):
        validate_messages(data(1), data_schemas={"n": {"$ref": reference}})


def test_a_list_that_is_too_long_is_one_issue() -> None:
    schema = {"type": "array", "items": {"type": "array", "items": {"type": "string"}, "maxItems": 1}}
    verdict = validate_messages(data([[1], [1, 2], []]), data_schemas={"n": schema})
    assert [issue.path for issue in verdict.issues] == [(0, 0), (1,)]


@pytest.mark.parametrize("values", [{"enum": ["celsius", "kelvin"]}, {"const": "celsius"}], ids=["enum", "const"])
def test_where_only_certain_values_are_allowed_another_type_is_one_issue(values: dict[str, Any]) -> None:
    schema = {"type": "object", "properties": {"unit": {"type": "string", **values}}, "required": ["unit", "city"]}
    issues = read_schema(schema, "s").issues({"unit": 5})
    assert [issue.path for issue in issues] == [("unit",), ("city",)]


def test_issues_at_keys_that_the_schema_does_not_name_come_in_the_order_of_the_value() -> None:
    schema = read_schema({"type": "object", "additionalProperties": {"type": "string"}}, "s")
    value = {f"k{number * 7 % 40}": number for number in range(40)}
    assert [issue.path for issue in schema.issues(value)] == [(key,) for key in value]


def test_a_tool_without_schema_and_a_tool_that_is_none() -> None:
    part = {"type": "tool-x", "toolCallId": "c", "state": "input-available", "input": 1}
    messages = [{"id": "a", "role": "assistant", "parts": [part]}]
    assert validate_messages(messages, tools={"x": {}}).success
    with pytest.raises(SchemaProblem, match=r"tools\['x'\] is 'weather'"):
        validate_messages(messages, tools={"x": "weather"})


def test_without_the_library_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jsonschema", None)
    assert validate_messages(text()).success
    with pytest.raises(MissingExtra, match=r"aisdk-lab\[schemas\]"):
        validate_messages(text(), metadata_schema={})
