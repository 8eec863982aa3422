"""What a client of a given release makes of a chunk: its schema's verdict, and the reason in words.

Stage: ui_stream. Source: `ai` 5.0.0 to 7.0.173 with zod 4.6.7, run (tests/golden/versions/chunk_verdicts.jsonl).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, Literal, NamedTuple

from aisdk_lab.errors import cut
from aisdk_lab.ui_stream import grammar
from aisdk_lab.ui_stream.chunks import Chunk
from aisdk_lab.ui_stream.grammar import Field, Since
from aisdk_lab.ui_stream.validate import CHECKS, chunk_problems
from aisdk_lab.ui_stream.versions.behaviours import has
from aisdk_lab.ui_stream.versions.release import NAMED, NEWEST, REFERENCE, Life, Release, read_version
from aisdk_lab.ui_stream.versions.rows import INSTEAD, LEAVE_OUT, VALUES, all_chunk_rules, all_rows, later

Does = Literal["understands", "ignores", "keeps", "refuses"]

_NEWEST = read_version(REFERENCE)
_DATA = f"{grammar.DATA_PREFIX}<name>"
_NO_SSE = (
    'a client of ai 4 reads the old data stream (`0:"text"` lines) and stops at the first `data:` line: '
    "Failed to parse stream string. Invalid code data.  @ $"
)


class ClientVerdict(NamedTuple):
    """What one client does with a chunk: a line of the table that `what_clients_do` gives."""

    version: str
    does: Does
    why: str
    instead: str


class _Vocabulary(NamedTuple):
    """What one release knows: the fields of each type, and whether it lets other keys pass."""

    types: Mapping[str, Mapping[str, Field]]
    is_loose: bool


@cache
def _vocabulary(release: Release) -> _Vocabulary:
    types: dict[str, Mapping[str, Field]] = {}
    for kind, rule, until in all_chunk_rules():
        if Life(rule.since, until).holds(release):
            types[kind] = {
                name: field
                for name, field in rule.fields.items()
                if Life(later(rule.since, field.since), until).holds(release)
            }
    return _Vocabulary(types, has("loose-chunks", release))


def validate_chunk(chunk: Any, version: str = REFERENCE) -> list[str]:
    """What the schema of a client of that version has against a chunk; an empty list when it accepts it.

    `version` is `"5"`, `"6"`, `"7"` (the newest known one of the line), an exact one such as `"7.0.31"`, or `"4"`, which
    accepts nothing. Each problem reads `what is wrong  @ $.path`. Raises: `UnknownName` for another version.

    >>> validate_chunk({"type": "custom", "kind": "a.b"}, "6")
    ["chunk type 'custom' is unknown to ai 6.0.326 (since 7.0.0); send instead: a `data-<name>` chunk  @ $.type"]
    """
    release = read_version(version)
    if release.major == NEWEST[4].major:
        return [_NO_SSE]
    try:
        return _chunk_problems(chunk, release)
    except (
        RecursionError,
        ValueError,
        OverflowError,
    ):  # such a value never comes out of a frame: its reader refuses it
        return ["a value is nested too deeply, or an integer is too long, to be looked at  @ $"]


def _chunk_problems(chunk: Any, release: Release) -> list[str]:
    kind = chunk.get("type") if isinstance(chunk, dict) else None
    if release == _NEWEST or not isinstance(chunk, dict) or not isinstance(kind, str):
        return chunk_problems(chunk)
    vocabulary = _vocabulary(release)
    name = _DATA if kind.startswith(grammar.DATA_PREFIX) else kind
    fields = vocabulary.types.get(name)
    if fields is None:
        return [_unknown_type(chunk, kind, release)]
    problems = list(_field_problems(chunk, name, fields, release))
    if not vocabulary.is_loose:
        problems.extend(_key_problem(name, key, release) for key in chunk if key not in fields and key != "type")
    return problems


def _unknown_type(chunk: Chunk, kind: str, release: Release) -> str:
    row = _row_lives().get(kind)
    if row is None:
        return chunk_problems(chunk)[0]
    return (
        f"chunk type {kind!r} is unknown to ai {release} ({_life_in_words(row)}); "
        f"send instead: {INSTEAD.get(kind, LEAVE_OUT)}  @ $.type"
    )


def _field_problems(chunk: Chunk, kind: str, fields: Mapping[str, Field], release: Release) -> Iterator[str]:
    for name, field in fields.items():
        path = f"$.{name}"
        if name not in chunk:
            if field.required:
                yield f"missing  @ {path}"
        elif field.kind in VALUES:
            yield from _value_problem(chunk[name], f"{kind}.{name}", field, release)
        else:
            yield from CHECKS[field.kind](chunk[name], path)


def _value_problem(value: Any, about: str, field: Field, release: Release) -> Iterator[str]:
    lives = VALUES[field.kind]
    life = lives.get(value) if isinstance(value, str) else None
    if life is not None and life.holds(release):
        return
    path = f"$.{about.partition('.')[2]}"
    if life is None:
        known = ", ".join(word for word, of in lives.items() if of.holds(release))
        yield f"expected one of {known}, got {_shown(value)}  @ {path}"
    else:
        instead = INSTEAD.get(f"{about}={value}", LEAVE_OUT)
        yield f"{value!r} is unknown to ai {release} ({_life_in_words(life)}); send instead: {instead}  @ {path}"


def _shown(value: Any) -> str:
    """A value that is no known word, short; the `repr` of a number may be thousands of digits long and then raises."""
    if isinstance(value, str | bool | None):
        return cut(repr(value), 40)
    return "an object" if isinstance(value, dict) else "an array" if isinstance(value, list) else "a number"


def _key_problem(kind: str, key: str, release: Release) -> str:
    life = _row_lives().get(f"{kind}.{key}")
    when = f" ({_life_in_words(life)})" if life else ""
    return (
        f"unknown key {cut(repr(key), 40)}: ai {release} refuses keys that it does not know{when}; "
        f"send instead: {INSTEAD.get(f'{kind}.{key}', LEAVE_OUT)}  @ $.{key}"
    )


@cache
def _row_lives() -> Mapping[str, Life]:
    return {row.name: Life(row.since, row.until) for row in all_rows()}


def _life_in_words(life: Life) -> str:
    began = "since " + ", ".join(life.since)
    return f"{began}, until {', '.join(life.until)}" if life.until else began


def what_clients_do(chunk: Any, versions: Iterable[str] = NAMED) -> list[ClientVerdict]:
    """What clients of these versions make of a chunk, one row a version; `pandas.DataFrame` shows it as a table.

    `does` is `understands`; `ignores` (accepted, but a key in it is not used), `keeps` (the same on a data chunk, whose
    part keeps every key) or `refuses` (the stream ends there).

    >>> [(row.version, row.does) for row in what_clients_do({"type": "abort", "reason": "stop"}, ("5.0.0", "5", "6"))]
    [('5.0.0', 'refuses'), ('5', 'ignores'), ('6', 'understands')]
    """
    return [_client_verdict(chunk, version) for version in versions]


def _client_verdict(chunk: Any, version: str) -> ClientVerdict:
    problems = validate_chunk(chunk, version)
    if problems:
        return ClientVerdict(version, "refuses", "; ".join(_without_advice(problems)), _advice(problems))
    release = read_version(version)
    kind = _DATA if chunk["type"].startswith(grammar.DATA_PREFIX) else chunk["type"]
    fields = _vocabulary(release).types[kind]
    unused = [key for key in chunk if key != "type" and key not in fields]
    if not unused:
        return ClientVerdict(version, "understands", "", "")
    does: Does = "keeps" if kind == _DATA else "ignores"
    instead = dict.fromkeys(INSTEAD.get(f"{kind}.{key}", LEAVE_OUT) for key in unused)
    return ClientVerdict(version, does, f"not known to ai {release}: {', '.join(unused)}", "; ".join(instead))


_ADVICE = "; send instead: "


def _without_advice(problems: list[str]) -> Iterator[str]:
    for problem in problems:
        text, _, rest = problem.partition(_ADVICE)
        yield f"{text}  @ {rest.rpartition('  @ ')[2]}" if rest else text


def _advice(problems: list[str]) -> str:
    found = [problem.partition(_ADVICE)[2].rpartition("  @ ")[0] for problem in problems]
    return "; ".join(dict.fromkeys(text for text in found if text))


@cache
def turning_points() -> tuple[str, ...]:
    """The releases at which any chunk's verdict can change, oldest first: the ends of the three lines included."""
    firsts: set[Since] = {row.since for row in all_rows()} | {row.until for row in all_rows()}
    known = {read_version(text) for since in firsts for text in since}
    ends = {release for line, newest in NEWEST.items() if line != 4 for release in (Release(line, 0, 0), newest)}
    return tuple(str(release) for release in sorted(known | ends))


def first_version_that_accepts(chunk: Any, line: str | None = None) -> str | None:
    """The oldest release whose schema accepts a chunk, in one line (`"5"`, `"6"`, `"7"`) or of all; `None`: none.

    Not every later release does: 5.0.217 accepts unknown keys and 6.0.0 does not. `ranges_that_accept` gives them all.
    """
    major = None if line is None else read_version(line).major
    for version in turning_points():
        if (major is None or read_version(version).major == major) and not validate_chunk(chunk, version):
            return version
    return None


def ranges_that_accept(chunk: Any) -> list[tuple[str, str | None]]:
    """The releases whose schema accepts a chunk, a pair a range: the first one, and the first that refuses it again.

    A range ends with its line at the latest: `None` as the second is "to the newest known one of that line".
    """
    ranges: list[tuple[str, str | None]] = []
    is_open = False
    major = 0
    for version in turning_points():
        if read_version(version).major != major:
            major, is_open = read_version(version).major, False
        is_accepted = not validate_chunk(chunk, version)
        if is_accepted and not is_open:
            ranges.append((version, None))
        elif is_open and not is_accepted:
            ranges[-1] = (ranges[-1][0], version)
        is_open = is_accepted
    return ranges


def first_refusal(chunks: Iterable[Any], version: str = REFERENCE) -> tuple[int, list[str]] | None:
    """Where the stream of a client of that version ends: the place, from 0, of the first chunk that it refuses, and why.

    `None` when it accepts all. Chunks that its reducer stops at are not looked for: see `find_hazards`.

    >>> first_refusal([{"type": "start"}, {"type": "finish", "finishReason": "interrupted"}], "6")[0]
    1
    """
    for index, chunk in enumerate(chunks):
        problems = validate_chunk(chunk, version)
        if problems:
            return index, problems
    return None
