"""The conformance vectors on this package: `python tests/vectors.py FOLDER …`.

One function for each kind of case (`reduce`, `sse`, `partial_json`, `chunk_validation`, `validate_messages`,
`predicates`, `convert`, `requests`, `chat`): it takes a case's `input` and returns what its `expect` holds, through the
package's public API. The command line runs every `.jsonl` file of a folder whose name begins with a kind, prints
passes and failures a file, and ends with 1 when a case fails.
"""

# ruff: noqa: T201 — printing is what a command line does
from __future__ import annotations

import argparse
import base64
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

# However this file is loaded, `tests` and the package beside it are the ones of this checkout.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from aisdk_lab.reducer import MessageReducer, UIMessageStreamError
from aisdk_lab.ui_stream.chunks import UNSET, Unset
from aisdk_lab.ui_stream.javascript import js_text
from aisdk_lab.ui_stream.model_messages import MessageConversionError, convert_to_model_messages
from aisdk_lab.ui_stream.partial_json import parse_partial_json
from aisdk_lab.ui_stream.predicates import complete_with_approval_responses, complete_with_tool_calls
from aisdk_lab.ui_stream.validate import read_chunk
from aisdk_lab.ui_stream.validate_messages import validate_messages as verdict_of
from aisdk_lab.wire import Frame, SseDecoder, encode_sse, json_text
from tests.vector_rules import as_recorded, first_difference, is_quirk, specials

Outcome = dict[str, Any]
ROOT = Path(__file__).resolve().parents[1]


# --- bytes and chunks -----------------------------------------------------------------------------------------------


def sse(given: Outcome) -> Outcome:
    """Bytes to parsed events, as `parseJsonEventStream` gives them."""
    events = _events([base64.b64decode(read) for read in given["chunks"]], given.get("schema", "any"))
    return {"events": list(events), "streamError": None}


def _events(reads: list[bytes], schema: str) -> Iterator[Outcome]:
    decoder = SseDecoder()
    frames = [frame for read in reads for frame in decoder.feed(read)]
    for frame in frames + decoder.close():
        # Unfinished blocks, comments and the sentinel are frames here and no events there.
        if frame.problem is None and frame.data is not None and not frame.is_done:
            yield _event(frame, frame.data, schema)


def _event(frame: Frame, text: str, schema: str) -> Outcome:
    try:
        value = json_text.read(text)
    except json_text.JsonProblem:
        message = f"JSON parsing failed: Text: {text}."
        return {"success": False, "error": {"name": "AI_JSONParseError", "message": message, "truncated": True}}
    if schema == "ui":
        chunk, problem = read_chunk(frame)
        if problem is not None:
            message = f"Type validation failed: Value: {json_text.write(value)}."
            error = {"name": "AI_TypeValidationError", "message": message, "truncated": True}
            return {"success": False, "error": error, "rawValue": as_recorded(value)}
        value = chunk
    return {"success": True, "value": as_recorded(value)}


def chunk_validation(given: Outcome) -> Outcome:
    """One chunk, or the text of one, through SSE and the chunk schema."""
    text = given["text"] if "text" in given else _stringified(given["chunk"])
    for event in _events([encode_sse(text)], "ui"):
        outcome = {"accepted": event["success"]}
        return outcome | {key: event[key] for key in ("value", "error") if key in event}
    return {"accepted": False, "ignored": True}


def _stringified(value: Any) -> str:
    """The text of a chunk as the reference's recorder put it on the wire, lone surrogates as escapes."""
    return json.dumps(as_recorded(value))


def partial_json(given: Outcome) -> Outcome:
    """Unfinished JSON to the value that is shown for it, as `parsePartialJson` does."""
    result = parse_partial_json(given.get("text"))
    if isinstance(result.value, Unset):
        return {"state": result.state}
    found = specials(result.value)
    return {"state": result.state, "value": as_recorded(result.value)} | ({"special": found} if found else {})


# --- messages -------------------------------------------------------------------------------------------------------


class _Reading:
    """What a reader of `readUIMessageStream` sees and is told, one chunk after the other."""

    CLOSED = {"name": "TypeError", "message": "Invalid state: Controller is already closed"}
    """The reference goes on after it threw, until it has a snapshot to give and nobody to give it to."""

    def __init__(self, given: Outcome) -> None:
        self._reducer = MessageReducer(given.get("initialMessage"), strict=True)
        self._is_validated = bool(given.get("validated"))
        self._terminates = bool(given.get("terminateOnError"))
        self._snapshots: list[Outcome] = []
        self._final = as_recorded(self._reducer.message)
        self._errors: list[Outcome] = []
        self._thrown: Outcome | None = None
        self._ended_at: int | None = None

    def feed(self, index: int, chunk: Outcome) -> bool:
        """Take a chunk; false when it ended the processing."""
        problem = self._reduce(chunk)
        if problem is None and self._thrown and self._reducer.visible:
            problem = self.CLOSED
        if problem is not None:
            self._ended_at = index
            self._tell({"after": index, **problem})
            return False
        self._final = as_recorded(self._reducer.message)
        if self._reducer.visible:
            self._snapshots.append({"after": index, "message": self._final})
        if chunk["type"] == "error":
            text = js_text(chunk["errorText"]) if "errorText" in chunk else ""
            self._tell({"after": index, "name": "Error", "message": text})
        return True

    def _reduce(self, chunk: Outcome) -> Outcome | None:
        if self._is_validated:
            (event,) = _events([encode_sse(_stringified(chunk))], "ui")
            if not event["success"]:
                return event["error"]
            chunk = event["value"]
        try:
            self._reducer.feed(chunk)
        except UIMessageStreamError as error:
            where = {} if error.chunk_id is UNSET else {"chunkId": error.chunk_id}
            return {"name": error.name, "message": str(error), "chunkType": error.chunk_type, **where}
        except TypeError as error:  # a malformed chunk, at which JavaScript stumbles
            return {"name": "TypeError", "message": str(error)}
        return None

    def _tell(self, error: Outcome) -> None:
        self._errors.append(error)
        if self._terminates and self._thrown is None:
            self._thrown = error

    def outcome(self) -> Outcome:
        return {
            "snapshots": self._snapshots,
            "final": self._final,
            "errors": self._errors,
            "error": self._errors[0]["message"] if self._errors else None,
            "endedAt": self._ended_at,
            "thrown": self._thrown,
        }


def reduce(given: Outcome) -> Outcome:
    """Chunks to message states, as `readUIMessageStream` gives them; the reducer is strict."""
    reading = _Reading(given)
    for index, chunk in enumerate(given["chunks"]):
        if not reading.feed(index, chunk):
            break
    return reading.outcome()


def predicates(given: Outcome) -> Outcome:
    """The two questions after which a chat sends again."""
    return {
        "toolCalls": complete_with_tool_calls(given["messages"]),
        "approvalResponses": complete_with_approval_responses(given["messages"]),
    }


def validate_messages(given: Outcome) -> Outcome:
    """Stored messages through `safeValidateUIMessages`."""
    verdict = verdict_of(
        given["messages"],
        tools=given.get("tools"),
        data_schemas=given.get("dataSchemas"),
        metadata_schema=given.get("metadataSchema"),
    )
    if verdict.success:
        return {"success": True, "data": as_recorded(verdict.data)}
    error = {"name": verdict.error.name, "message": verdict.error.message}
    if error["name"] == "AI_TypeValidationError":  # recorded without the schema library's list of issues
        error |= {"message": error["message"].partition("\nError message:")[0], "truncated": True}
    else:
        error["parameter"] = "messages"  # no other argument can be missing
    issues = [{"path": list(issue.path), "message": issue.message} for issue in verdict.issues]
    return {"success": False, "error": error, "issues": issues or None}


def convert(given: Outcome) -> Outcome:
    """UI messages to a model's messages, as `convertToModelMessages` does."""
    options = given.get("options", {})
    try:
        messages = convert_to_model_messages(
            given["messages"],
            tools={name: _tool(name, kind) for name, kind in options.get("tools", {}).items()},
            ignore_incomplete_tool_calls=options.get("ignoreIncompleteToolCalls", False),
            convert_data_part=DATA_PARTS[options.get("convertDataPart")],
        )
    except MessageConversionError as error:
        return {"error": {"name": error.name, "message": error.message}}
    return {"modelMessages": as_recorded(messages)}


def _tool(name: str, kind: str) -> Outcome:
    def to_model_output(output: Any = None, **_: Any) -> Outcome:
        return {"type": "text", "value": f"{name}:{json_text.write(output)}"}

    return {"to_model_output": to_model_output} if kind == "toModelOutput" else {}


def _data_as_text(part: Outcome) -> Outcome:
    data = json_text.write(part["data"]) if "data" in part else "undefined"
    return {"type": "text", "text": f"{part['type']}={data}"}


DATA_PARTS: dict[str | None, Callable[[Outcome], Outcome | None] | None] = {
    None: None,
    "text": _data_as_text,
    "none": lambda _part: None,
}


# --- clients --------------------------------------------------------------------------------------------------------


def requests(given: Outcome) -> Outcome:
    """What the HTTP transport sends to a loopback server, and what the chat makes of the answers."""
    from tests.transports.recorded import play_requests

    return play_requests(given)


def chat(given: Outcome) -> Outcome:
    """A whole chat client on a scripted transport."""
    from tests.chat.recorded import play_chat

    return play_chat(given)


KINDS: dict[str, Callable[[Outcome], Outcome]] = {
    function.__name__: function
    for function in (
        reduce,
        sse,
        partial_json,
        chunk_validation,
        validate_messages,
        predicates,
        convert,
        requests,
        chat,
    )
}


# --- files ----------------------------------------------------------------------------------------------------------


class Tally(NamedTuple):
    """What became of the cases of one file."""

    passed: int
    failures: list[str]
    quirks: int
    """Cases that follow JavaScript and need not be matched: not among the passed, nor among the failures."""
    quirks_matched: int


def kind_of(path: Path) -> str | None:
    """The kind of a file by its name: `reduce_random.jsonl` holds cases of `reduce`; `None` for other files."""
    if path.suffix != ".jsonl" or not path.is_file():
        return None
    kinds = [kind for kind in KINDS if path.stem == kind or path.stem.startswith((f"{kind}_", f"{kind}-", f"{kind}."))]
    return max(kinds, key=len, default=None)


def read_cases(path: Path) -> list[Outcome]:
    """The cases of a file, one a line."""
    return [json.loads(line) for line in path.read_bytes().split(b"\n") if line.strip()]


def difference(kind: str, case: Outcome) -> str | None:
    """Run one case: where our outcome differs from the recorded one, or how we failed; `None` when they agree."""
    try:
        return first_difference(kind, case, KINDS[kind](case["input"]))
    except Exception as problem:  # noqa: BLE001 — a case that breaks us is a failed case; the others still run
        return f"raised {type(problem).__name__}: {problem}"


def run_file(path: Path, kind: str) -> Tally:
    """Run all cases of a file."""
    passed = quirks = quirks_matched = 0
    failures: list[str] = []
    for number, case in enumerate(read_cases(path), 1):
        found = difference(kind, case)
        if is_quirk(case):
            quirks += 1
            quirks_matched += found is None
        elif found is None:
            passed += 1
        else:
            failures.append(f"{case.get('name', f'case {number}')}: {found}")
    return Tally(passed, failures, quirks, quirks_matched)


def report(folder: Path) -> tuple[int, int]:
    """Run a folder and print what became of it; the numbers of cases that ran and that failed."""
    ran = failed = 0
    for path in sorted(folder.iterdir()) if folder.is_dir() else [folder]:
        kind = kind_of(path)
        if kind is None:
            print(f"{path.name}: not run ({'a folder' if path.is_dir() else 'no known kind of cases'})")
            continue
        try:
            tally = run_file(path, kind)
        except (ValueError, AttributeError) as problem:
            tally = Tally(0, [f"not a file of cases: {problem}"], 0, 0)
        quirks = f", {tally.quirks} js-quirks ({tally.quirks_matched} matched)" if tally.quirks else ""
        print(f"{path.name}: {tally.passed} passed, {len(tally.failures)} failed{quirks}", flush=True)
        for failure in tally.failures:
            print(f"  {failure}".encode("utf-8", "backslashreplace").decode())
        ran += tally.passed + len(tally.failures) + tally.quirks
        failed += len(tally.failures)
    return ran, failed


def main(arguments: list[str] | None = None) -> int:
    """The command line: 0 when all cases passed, 1 when one failed or none ran."""
    parser = argparse.ArgumentParser(prog="python tests/vectors.py", description=__doc__.partition("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER", help="a folder of .jsonl files, or one file")
    folders: list[Path] = parser.parse_args(arguments).folders
    for folder in folders:
        if not folder.exists():
            parser.error(f"{folder} does not exist; give a folder of .jsonl files named {', '.join(KINDS)}")
    counts = [report(folder) for folder in folders]
    ran, failed = (sum(column) for column in zip(*counts, strict=True))
    print(f"{ran} cases, {failed} failed" if ran else f"no cases: files must be named {', '.join(KINDS)}")
    return int(failed > 0 or ran == 0)


if __name__ == "__main__":
    sys.exit(main())
