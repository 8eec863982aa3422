"""Plain SSE text, as `curl -N … > file.sse` or a copy from a browser leaves it. No clock, no request, no headers.

The whole file is one segment without a time: where the reads were cut is not in the file.
"""

from __future__ import annotations

import re
from pathlib import Path

from aisdk_lab.capture import Capture, Segment
from aisdk_lab.errors import CaptureError

LOOKS_FOR = "a line that begins with `data:`, `event:`, `id:`, `retry:` or `:`"
SAMPLE = 'data: {"type":"text-delta","id":"t","delta":"你好 👋"}\n\ndata: [DONE]\n\n'.encode()

_FIELD = re.compile(rb"(?:\A(?:\xef\xbb\xbf)?|[\r\n])(?:data|event|id|retry)?:")
_SUFFIXES = (".sse", ".event-stream")


def sniff(head: bytes, path: Path) -> float:
    """Sure when the text begins with a field of SSE; a `.sse` file may begin with something else."""
    found = _FIELD.search(head)
    if found is None or b"\0" in head:
        return 0.0
    if head[: found.start()].strip() == b"":
        return 0.8
    return 0.5 if path.suffix in _SUFFIXES else 0.0


def read(data: bytes, path: Path) -> tuple[Capture, ...]:
    """The text as one segment; refused when no frame in it has data or a comment."""
    segments = (Segment(t_ns=None, data=data),) if data else ()
    capture = Capture(name=path.stem, segments=segments, source=str(path))
    if not any(frame.data is not None or frame.comment is not None for frame in capture.frames()):
        raise CaptureError("no SSE frame in it")
    return (capture,)
