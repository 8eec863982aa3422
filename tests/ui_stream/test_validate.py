"""The chunk schema against recorded verdicts of `ai` 7.0.173 with zod 4.6.7."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from aisdk_lab.ui_stream.validate import chunk_problems, read_chunk
from aisdk_lab.wire import SseDecoder, encode_sse, json_text
from aisdk_lab.wire.frame import Frame

GOLDEN = Path(__file__).parents[1] / "golden" / "chunk_validation" / "chunk_validation.jsonl"
CASES = [json.loads(line) for line in GOLDEN.read_bytes().splitlines()]


def frame_of(case: dict[str, Any]) -> Frame:
    given = case["input"]
    text = given["text"] if "text" in given else json.dumps(given["chunk"], ensure_ascii=False)
    return Frame(index=0, offset=0, raw=b"", data=text)


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_the_verdict_is_the_one_of_the_sdk(case: dict[str, Any]) -> None:
    if "js-quirk" in case.get("tags", ()):
        pytest.fail(f"{case['name']} is tagged js-quirk: decide about it")
    chunk, problem = read_chunk(frame_of(case))
    if case["expect"].get("ignored"):
        assert (chunk, problem) == (None, None)
        return
    assert (problem is None) == case["expect"]["accepted"], problem
    if case["expect"]["accepted"] and "value" in case["expect"]:
        assert json.loads(json_text.write(chunk)) == case["expect"]["value"]


def test_a_problem_names_what_was_found_and_its_path() -> None:
    assert chunk_problems({"type": "text-delta", "id": 3}) == [
        "expected a string, got 3  @ $.id",
        "missing  @ $.delta",
    ]
    assert chunk_problems({"type": "text-dleta"}) == [
        "unknown chunk type 'text-dleta'; did you mean 'text-delta'?  @ $.type"
    ]
    assert chunk_problems([]) == ["expected an object with a string `type`, got an array  @ $"]


@pytest.mark.parametrize("odd", ["[null]", "5", '"ab"', '[{"a":1}]'])
def test_citations_of_other_chunks_are_an_unknown_key(odd: str) -> None:
    for head in ('"type":"reasoning-end","id":"r"', '"type":"start"', '"type":"data-x","data":1'):
        text = f'{{{head},"citations":{odd}}}'
        (frame,) = SseDecoder().feed(encode_sse(text))
        assert read_chunk(frame) == (json.loads(text), None)


def test_a_huge_number_is_named() -> None:
    assert chunk_problems({"type": "text-end", "id": 10**5000}) == ["expected a string, got a huge number  @ $.id"]


def test_a_value_that_is_too_deep_is_named() -> None:
    deep: dict[str, object] = {}
    for _ in range(100_000):
        deep = {"a": deep}
    (problem,) = chunk_problems({"type": "text-start", "id": "t", "providerMetadata": {"p": deep}})
    assert problem == "nested too deeply to be looked at  @ $.providerMetadata"
