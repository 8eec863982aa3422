"""Every exception that the lab raises on purpose, and whose fault each one is.

    LabError                     everything below
    ├── ChunkError               ours: we were about to say something illegal on the wire
    ├── TranslationError         ours: a translator was asked for something its protocol cannot say
    ├── RequestError             the client's: a body that is not a request, with every problem and its path
    ├── DecisionError            the client's: an answer to a call that does not wait
    ├── CaptureError             the file's: what was read is not a capture
    ├── LedgerError              the store's: a commit that does not hold
    ├── RefusedError             the caller's: a bind, host, origin or token that is not allowed
    ├── TransportError           the far side's: an endpoint that answered with an error or not at all
    ├── MissingExtra             the environment's: an optional package is not installed
    └── UnknownName              the caller's: a name that no plugin has (also a `KeyError`)

A fault in remote bytes is none of these: it is `Frame.problem`, and later a finding. Each message names the culprit,
the place and the next action; values are shown with `repr`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

MAX_PROBLEMS = 20
"""How many problems of a body an error lists; how many more there are is said."""
MAX_QUOTE_CHARS = 300
"""How much of somebody else's text an error quotes."""


def cut(text: str, limit: int = MAX_QUOTE_CHARS) -> str:
    """The text, or its beginning and its end when it is longer than `limit` characters.

    >>> cut("0123456789", 7)
    '0123…89'
    """
    if len(text) <= limit:
        return text
    tail = limit // 3
    return f"{text[: limit - tail - 1]}…{text[-tail:]}"


class LabError(Exception):
    """Base of all errors that the lab raises on purpose."""


class ChunkError(LabError):
    """We were about to emit an illegal chunk; `index` counts the chunks of the stream from 0."""

    def __init__(self, message: str, *, index: int | None = None, chunk_type: str | None = None) -> None:
        super().__init__(message)
        self.index = index
        self.chunk_type = chunk_type


class TranslationError(LabError):
    """A translator cannot say this in its protocol."""


class RequestError(LabError):
    """A request body with problems; `problems` lists each as `what was wrong  @ $.path`, up to `MAX_PROBLEMS`."""

    def __init__(self, problems: Sequence[str]) -> None:
        listed = [cut(problem) for problem in problems[:MAX_PROBLEMS]]
        if len(problems) > MAX_PROBLEMS:
            listed.append(f"and {len(problems) - MAX_PROBLEMS} more")
        self.problems = tuple(listed)
        super().__init__("; ".join(self.problems) + ". Correct the body and send it once.")


class DecisionError(LabError):
    """An answer to a call that does not wait; `waiting` lists the calls that do."""

    def __init__(self, message: str, *, waiting: Iterable[str] = ()) -> None:
        super().__init__(message)
        self.waiting = tuple(waiting)


class CaptureError(LabError):
    """A file that is not a capture; says what was found instead."""


class LedgerError(LabError):
    """A commit that does not hold; nothing of it was stored."""


class RefusedError(LabError):
    """A bind, host, origin or token that the rules of the server do not allow."""


class TransportError(LabError):
    """An endpoint answered with an error, or not at all; `name` is what `ai` 7.0.173 would call it.

    `url` (secrets masked) and `body` are those of an answer with an error status.
    """

    def __init__(
        self,
        message: str,
        *,
        name: str = "Error",
        status: int | None = None,
        url: str | None = None,
        body: str | None = None,
    ) -> None:
        super().__init__(message)
        self.name = name
        self.status = status
        self.url = url
        self.body = body


class MissingExtra(LabError, ImportError):
    """An optional package is missing."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(f"{package} is not installed. Install it with: pip install 'aisdk-lab[{extra}]'")
        self.package = package
        self.extra = extra


class UnknownName(LabError, KeyError):
    """No plugin has this name; the message lists the known ones."""

    def __init__(self, kind: str, name: object, known: Iterable[str]) -> None:
        self.kind, self.name, self.known = kind, name, tuple(sorted(known))
        super().__init__(f"no {kind} is called {cut(repr(name))}. Known: {', '.join(self.known) or 'none'}.")

    def __str__(self) -> str:  # KeyError would show the repr of the message
        return str(self.args[0])
