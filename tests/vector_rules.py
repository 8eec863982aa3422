"""How two outcomes of a conformance case are compared: one function for each rule of the vector format.

`first_difference(kind, case, ours)` is what the command line and the tests ask. A rule takes both outcomes and gives
them back as they are worth comparing; what is left is compared value by value, and the first path that differs is
named. The quotations are the rules of the format, as its authors wrote them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from aisdk_lab.wire.json_text import join_surrogates, number_text

Outcome = dict[str, Any]

NAME_ONLY = ("AI_TypeValidationError", "AI_JSONParseError")
"""Errors whose texts quote the schema library or the JavaScript engine."""
SHOWN_CHARS = 160


def as_recorded(value: Any) -> Any:
    """A value as a recording can hold it.

    "Numbers are doubles: 1 and 1.0 are equal, integers above 2^53 are rounded. Infinity appears as null, -0 as 0."
    "Two halves of a surrogate pair that arrive in two deltas form one character."
    """
    if isinstance(value, Mapping):
        return {join_surrogates(key): as_recorded(member) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [as_recorded(member) for member in value]
    if isinstance(value, str):
        return join_surrogates(value)
    if isinstance(value, bool) or value is None:
        return value
    number = as_double(value)
    return json.loads(number_text(number))  # the digits that JavaScript prints: 12345678901234567000, not …168


def as_double(number: float) -> float:
    """A Python number as the double that JavaScript has for it; an integer too large for one is infinite."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def specials(value: Any, path: tuple[str | int, ...] = ()) -> list[Outcome]:
    """The places of numbers that the recording cannot hold: "`special`? (`[{path, is}]` for Infinity and -0)"."""
    if isinstance(value, Mapping):
        return [found for key, member in value.items() for found in specials(member, (*path, key))]
    if isinstance(value, list):
        return [found for index, member in enumerate(value) for found in specials(member, (*path, index))]
    if isinstance(value, bool) or not isinstance(value, int | float):
        return []
    number = as_double(value)
    if math.isinf(number):
        return [{"path": list(path), "is": "Infinity" if number > 0 else "-Infinity"}]
    return [{"path": list(path), "is": "-0"}] if number == 0 and math.copysign(1, number) < 0 else []


# --- rules ----------------------------------------------------------------------------------------------------------


def is_quirk(case: Outcome) -> bool:
    """ "Tag `js-quirk`: the result follows JavaScript (…). Need not be matched." """
    return "js-quirk" in case.get("tags", ())


def verdict_may_differ(case: Outcome, ours: Outcome) -> bool:
    """ "`zodDependent`: the verdict differs between versions of the schema library …; a receiver may do either."

    True when ours is the verdict of another version: the rest of the outcome then belongs to the other verdict.
    """
    verdicts = case.get("zodDependent")
    key = "accepted" if "accepted" in case["expect"] else "success"
    return bool(verdicts) and ours.get(key) != case["expect"].get(key) and ours.get(key) in verdicts.values()


def without_texts_of_libraries(value: Any) -> Any:
    """ "For `AI_TypeValidationError` and `AI_JSONParseError` only the name is worth comparing." """
    if isinstance(value, Mapping):
        if value.get("name") in NAME_ONLY:
            return {key: member for key, member in value.items() if key not in ("message", "truncated")}
        return {key: without_texts_of_libraries(member) for key, member in value.items()}
    return [without_texts_of_libraries(member) for member in value] if isinstance(value, list) else value


def without_first_text_of_library(outcome: Outcome) -> Outcome:
    """reduce: "`error` is the first message or null", so it is no more worth than the first entry of `errors`."""
    errors = outcome.get("errors") or [{}]
    if errors[0].get("name") in NAME_ONLY and isinstance(outcome.get("error"), str):
        return {**outcome, "error": errors[0]["name"]}
    return outcome


def until_thrown(outcome: Outcome) -> Outcome:
    """reduce: "Entries in `errors` after that (`TypeError: Invalid state...`) are an artefact of the reference."

    Where the artefact ended the processing, `endedAt` and `final` are of the same make.
    """
    thrown = outcome.get("thrown")
    if not thrown:
        return outcome
    kept = [error for error in outcome["errors"] if error["after"] <= thrown["after"]]
    artefacts = ("endedAt", "final") if outcome.get("endedAt") != thrown["after"] else ()
    return {key: member for key, member in outcome.items() if key not in artefacts} | {"errors": kept}


def paths_of_issues(outcome: Outcome) -> Outcome:
    """validate_messages: "the paths are worth comparing, the texts are the schema library's"; no issues are null."""
    if "issues" not in outcome:
        return outcome
    return {**outcome, "issues": [{"path": issue["path"]} for issue in outcome["issues"] or ()]}


def specials_in_order(outcome: Outcome) -> Outcome:
    """ "Key order of objects has no meaning": nor has the order in which special numbers were met."""
    if "special" not in outcome:
        return outcome
    return {**outcome, "special": sorted(outcome["special"], key=json.dumps)}


def cut_like(expected: Any, ours: Any) -> Any:
    """ "`truncated: true` marks messages of the schema library that were cut after the first sentence": cut ours too."""
    if isinstance(expected, Mapping) and isinstance(ours, Mapping):
        cut = {key: cut_like(expected.get(key), member) for key, member in ours.items()}
        text = expected.get("message")
        if expected.get("truncated") is True and isinstance(text, str) and str(ours.get("message")).startswith(text):
            cut |= {"message": text, "truncated": True}
        return cut
    if isinstance(expected, list) and isinstance(ours, list):
        return [cut_like(*pair) for pair in zip(expected, ours, strict=False)] + ours[len(expected) :]
    return ours


OF_FETCH = {
    "connection": "keep-alive",
    "accept": "*/*",
    "accept-language": "*",
    "sec-fetch-mode": "cors",
    "user-agent": "node",
    "accept-encoding": "gzip, deflate",
}


def without_headers_of_fetch(expected: Any, ours: Any) -> tuple[Any, Any]:
    """requests: "headers (…; those of the fetch implementation are included)": ours come from another HTTP client.

    A header counts where a case gave it another value than fetch has by itself.
    """
    if not isinstance(expected, Mapping) or not isinstance(ours, Mapping):
        return expected, ours
    pairs = zip(expected["requests"], ours.get("requests", ()), strict=False)
    of_fetch = [
        {name for name, value in OF_FETCH.items() if theirs["headers"].get(name, value) == value} for theirs, _ in pairs
    ]

    def cleaned(outcome: Mapping[str, Any]) -> Outcome:
        sent = list(outcome.get("requests", ()))
        for place, (request, names) in enumerate(zip(sent, of_fetch, strict=False)):
            headers = {name: value for name, value in request["headers"].items() if name not in names}
            sent[place] = {**request, "headers": headers}
        return {**outcome, "requests": sent}

    return cleaned(expected), cleaned(ours)


RULES: dict[str, tuple[Callable[[Outcome], Outcome], ...]] = {
    "reduce": (without_first_text_of_library, until_thrown),
    "validate_messages": (paths_of_issues,),
    "partial_json": (specials_in_order,),
}
"""What is done to both outcomes of one kind before the rules for all kinds."""


# --- comparison -----------------------------------------------------------------------------------------------------


def first_difference(kind: str, case: Outcome, ours: Any) -> str | None:
    """Where our outcome of a case differs from the recorded one, with both values; `None` when they agree."""
    if verdict_may_differ(case, ours):
        return None
    sides = [as_recorded(case["expect"]), as_recorded(ours)]
    for rule in (*RULES.get(kind, ()), without_texts_of_libraries):
        sides = [rule(side) for side in sides]
    expected, seen = sides
    if kind == "requests":
        expected, seen = without_headers_of_fetch(expected, seen)
    return _difference(expected, cut_like(expected, seen), "$")


def _difference(expected: Any, ours: Any, path: str) -> str | None:
    if isinstance(expected, dict) and isinstance(ours, dict):
        for key in (*expected, *(key for key in ours if key not in expected)):
            place = f"{path}.{key}" if key.isidentifier() else f"{path}[{json.dumps(key)}]"
            if key not in expected or key not in ours:
                return f"{place}: expected {_shown(expected, key)}, got {_shown(ours, key)}"
            if found := _difference(expected[key], ours[key], place):
                return found
        return None
    if isinstance(expected, list) and isinstance(ours, list):
        for index, (left, right) in enumerate(zip(expected, ours, strict=False)):
            if found := _difference(left, right, f"{path}[{index}]"):
                return found
        if len(expected) != len(ours):
            index = min(len(expected), len(ours))
            return f"{path}[{index}]: expected {_shown(expected, index)}, got {_shown(ours, index)}"
        return None
    # `True == 1` in Python, and never in JSON.
    if expected == ours and isinstance(expected, bool) == isinstance(ours, bool):
        return None
    if isinstance(expected, str) and isinstance(ours, str):
        place = next((i for i, pair in enumerate(zip(expected, ours, strict=False)) if pair[0] != pair[1]), 0)
        if place > SHOWN_CHARS // 2:
            start = place - SHOWN_CHARS // 4
            path, expected, ours = f"{path} from character {start}", expected[start:], ours[start:]
    return f"{path}: expected {_text(expected)}, got {_text(ours)}"


def _shown(holder: Mapping[str, Any] | Sequence[Any], key: Any) -> str:
    try:
        return _text(holder[key])
    except LookupError:
        return "nothing"


def _text(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False).encode("utf-8", "backslashreplace").decode()
    return text if len(text) <= SHOWN_CHARS else f"{text[: SHOWN_CHARS - 1]}…"
