"""A far side that does exactly what a script says, byte by byte, so that a test knows what one read returned."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Sequence
from types import TracebackType

Act = bytes | Callable[[], object]
"""Bytes to send at once, or something to do (wait for the client, interrupt it …) before going on."""

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
END = b"0\r\n\r\n"


def chunk(data: bytes) -> bytes:
    """One HTTP chunk."""
    return b"%x\r\n%s\r\n" % (len(data), data)


def reset(connection: socket.socket) -> None:
    """Closes with RST instead of FIN."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")


class FarSide:
    """Answers one connection with a script, on its own thread; `request` is what came in."""

    def __init__(self, acts: Sequence[Act], resets: bool = False) -> None:
        self._acts, self._resets = acts, resets
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._thread = threading.Thread(target=self._answer)
        self.request = b""

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}/api/chat"

    def __enter__(self) -> FarSide:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)  # wakes an accept that nobody answered
        self._thread.join()
        self._listener.close()

    def _answer(self) -> None:
        try:
            connection, _address = self._listener.accept()
        except OSError:
            return
        with connection:
            self.request = self._read(connection)
            for act in self._acts:
                if isinstance(act, bytes):
                    connection.sendall(act)
                else:
                    act()
            if self._resets:
                reset(connection)

    def _read(self, connection: socket.socket) -> bytes:
        data = b""
        while b"\r\n\r\n" not in data:
            data += connection.recv(65536)
        head, _, body = data.partition(b"\r\n\r\n")
        length = next(
            (int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")), 0
        )
        while len(body) < length:
            body += connection.recv(65536)
        return head + b"\r\n\r\n" + body
