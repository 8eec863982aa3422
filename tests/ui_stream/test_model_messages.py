"""`convert_to_model_messages` gives what the reference gives, and says where it cannot."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest

from aisdk_lab.errors import LabError
from aisdk_lab.ui_stream.model_messages import MessageConversionError, convert_to_model_messages
from aisdk_lab.ui_stream.url_text import InvalidUrl, normal_url
from tests.conftest import GOLDEN

CASES = [
    json.loads(line)
    for name in ("convert.jsonl", "more.jsonl")
    for line in (GOLDEN / "convert" / name).read_bytes().splitlines()
]


def script(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def tool_that_says(name: str) -> dict[str, Any]:
    def to_model_output(output: Any, tool_call_id: str, input: Any) -> dict[str, Any]:
        return {"type": "text", "value": f"{name}:{script(output)}"}

    return {"to_model_output": to_model_output}


def as_text(part: dict[str, Any]) -> dict[str, Any]:
    return {"type": "text", "text": f"{part['type']}={script(part['data'])}"}


def convert(messages: Any, options: dict[str, Any]) -> list[dict[str, Any]]:
    tools = options.get("tools")
    if tools is not None:
        tools = {name: tool_that_says(name) if kind == "toModelOutput" else {} for name, kind in tools.items()}
    converters = {"text": as_text, "none": lambda _: None}
    return convert_to_model_messages(
        messages,
        tools=tools,
        ignore_incomplete_tool_calls=options.get("ignoreIncompleteToolCalls", False),
        convert_data_part=converters.get(options.get("convertDataPart", "")),
    )


def file_of(url: Any) -> list[dict[str, Any]]:
    return [{"role": "user", "parts": [{"type": "file", "mediaType": "m", "url": url}]}]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_the_model_messages_are_those_of_the_reference(case: dict[str, Any]) -> None:
    before = json.dumps(case["input"])
    if "error" in case["expect"]:
        with pytest.raises(MessageConversionError) as caught:
            convert(case["input"]["messages"], case["input"].get("options", {}))
        assert {"name": caught.value.name, "message": caught.value.message} == case["expect"]["error"]
        return
    converted = convert(case["input"]["messages"], case["input"].get("options", {}))
    assert json.dumps(converted) == json.dumps(case["expect"]["modelMessages"]), "the order of keys counts"
    assert json.dumps(case["input"]) == before


@pytest.mark.parametrize(
    ("messages", "says"),
    [
        (file_of("/x"), "Invalid URL: messages[0].parts[0].url is '/x'. Give an absolute URL"),
        ([{"role": "tool", "parts": []}], "Unsupported role: tool: messages[0].role is 'tool'. Use system, user or"),
        ([{"role": "user", "parts": [{}]}], "(reading 'startsWith'): messages[0].parts[0].type is missing"),
    ],
)
def test_an_error_says_what_and_where(messages: Any, says: str) -> None:
    with pytest.raises(LabError) as caught:
        convert_to_model_messages(messages)
    assert says in str(caught.value)


def test_a_tool_may_be_an_object_with_the_function() -> None:
    class Weather:
        def to_model_output(self, *, output: Any, tool_call_id: str, input: Any) -> dict[str, Any]:
            return {"type": "json", "value": [output, tool_call_id, input]}

    part = {"type": "tool-w", "toolCallId": "c", "state": "output-available", "input": 1, "output": 2}
    (_, tool) = convert_to_model_messages([{"role": "assistant", "parts": [part]}], tools={"w": Weather()})
    assert tool["content"][0]["output"] == {"type": "json", "value": [2, "c", 1]}


def test_outputs_that_json_cannot_hold_become_null_and_depth_does_not_matter() -> None:
    deep: Any = [float("nan"), 10**400, {1}, "\ud83d"]
    for _ in range(50_000):
        deep = [deep]
    part = {"type": "tool-w", "toolCallId": "c", "state": "output-available", "input": deep, "output": deep}
    (_, tool) = convert_to_model_messages([{"role": "assistant", "parts": [part]}])
    value = tool["content"][0]["output"]["value"]
    for _ in range(50_000):
        (value,) = value
    assert value == [None, None, None, "\ud83d"]
    failed = {"type": "tool-w", "toolCallId": "c", "state": "output-error", "input": 1, "errorText": deep}
    assert convert_to_model_messages([{"role": "assistant", "parts": [failed]}])


def test_an_output_keeps_keys_that_a_parser_of_remote_text_refuses() -> None:
    output = {"__proto__": {"x": 1}, "constructor": {"prototype": [{"__proto__": None}]}}
    part = {"type": "tool-w", "toolCallId": "c", "state": "output-available", "input": {}, "output": output}
    (_, tool) = convert_to_model_messages([{"role": "assistant", "parts": [part]}])
    assert tool["content"][0]["output"] == {"type": "json", "value": output}


@pytest.mark.parametrize(
    "odd", ["deep", 10**5000, float("nan"), {1}, b"x"], ids=["deep", "long", "nan", "set", "bytes"]
)
def test_odd_values_where_texts_should_be_are_named(odd: Any) -> None:
    if odd == "deep":
        odd = []
        for _ in range(50_000):
            odd = [odd]
    for messages in ([{"role": odd, "parts": []}], file_of(odd), [{"role": "user", "parts": odd}], [odd]):
        with pytest.raises(MessageConversionError):
            convert_to_model_messages(messages)
    with suppress(MessageConversionError):
        convert_to_model_messages([{"role": "system", "parts": [{"type": "text", "text": odd}]}])


def test_a_long_data_url_is_passed_on_as_it_is() -> None:
    url = "data:image/png;base64," + "A" * 1_000_000
    assert convert_to_model_messages(file_of(url))[0]["content"][0]["data"] == {"type": "url", "url": url}


@pytest.mark.parametrize(
    "text",
    [
        "http://[" + ":" * 5000,
        "http://" + "9" * 5000,
        "a:" * 5000,
        "\ud83d://x",
        "http://a:" + "9" * 5000,
        "http://xn--" + "z" * 3000,
        "http://" + "é." * 500,
        "http:" + "/.." * 5000,
    ],
)
def test_long_and_odd_texts_are_a_url_or_not(text: str) -> None:
    with suppress(InvalidUrl):
        assert isinstance(normal_url(text), str)
