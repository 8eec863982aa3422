"""Plain SSE text, as `curl -N … > file.sse` or a copy from a browser leaves it. No clock, no request, no headers.

The whole file is one segment without a time: where the reads were cut is not in the file.
"""

from __future__ import annotations

import re
from pathlib import Path

from aisdk_lab.capture import Capture, Segment
from aisdk_lab.errors import CaptureError
from aisdk_lab.wire.frame import Frame

LOOKS_FOR = "a line that begins with `data:`, `event:`, `id:`, `retry:` or `:`"
SAMPLE = 'data: {"type":"text-delta","id":"t","delta":"你好 👋"}\n\ndata: [DONE]\n\n'.encode()

_FIELD = re.compile(rb"(?:\A(?:\xef\xbb\xbf)?|[\r\n])(?:data|event|id|retry)?:")
_SUFFIXES = (".sse", ".event-stream")
_LINE_END = re.compile(rb"\r\n|\r|\n")
_FIELD_LINE = re.compile(rb"(?:\xef\xbb\xbf)?(?:(?:data|event|id|retry)(?::|$)|:)")
_OTHERS = (".yaml", ".yml", ".html", ".htm")
_JSON_START = re.compile(r"\s*\{\s*[\"}]")
_LOOKED_AT_BYTES = 64 * 1024


def sniff(head: bytes, path: Path) -> float:
    """Sure when the text begins with a field of SSE; a `.sse` file may begin with something else."""
    found = _FIELD.search(head)
    if found is None or b"\0" in head:
        return 0.0
    if head[: found.start()].strip() == b"":
        return 0.8
    return 0.5 if path.suffix in _SUFFIXES else 0.0


def read(data: bytes, path: Path) -> tuple[Capture, ...]:
    """The text as one segment; refused when it holds no frame, or more of something else."""
    segments = (Segment(t_ns=None, data=data),) if data else ()
    capture = Capture(name=path.stem, segments=segments, source=str(path))
    if not any(frame.data is not None or frame.comment is not None for frame in capture.frames()):
        raise CaptureError("no SSE frame in it")
    # YAML and web pages have a `data:` line or two; a stream has little else, or says something in JSON.
    if not any(_is_told(frame) for frame in capture.frames()):
        lines = [line for line in _LINE_END.split(data[:_LOOKED_AT_BYTES]) if line.strip()]
        fields = sum(1 for line in lines if _FIELD_LINE.match(line))
        if 2 * fields <= len(lines):
            raise CaptureError(f"only {fields} of {len(lines)} lines are fields of SSE, and none holds JSON")
        if path.suffix in _OTHERS:
            raise CaptureError(
                f"no field in it holds JSON, and the file is called {path.suffix}: if it is SSE, rename it"
            )
    return (capture,)


def _is_told(frame: Frame) -> bool:
    """Whether the frame can only be of a stream: the end mark, or the beginning of a JSON object."""
    return frame.is_done or _JSON_START.match(frame.data or "") is not None
