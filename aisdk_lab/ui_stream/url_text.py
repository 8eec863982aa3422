"""A URL as JavaScript's `new URL(text).href` writes it.

Stage: ui_stream, for the files in model messages. A state machine in the standard; here the same steps as plain cuts of
the text: scheme, then authority, path, query and fragment.
Covered: special schemes (http, https, ws, wss, ftp, file) with user, password, host names, IPv4 in all its spellings, IPv6,
international names (mapped by UTS #46, written in Punycode), ports, dot segments, backslashes; other schemes with an
authority, with a path, or opaque (`data:`, `mailto:`, `blob:`). Not covered: relative URLs (they are refused, there is no
base), names whose characters are newer than Python's Unicode tables. The standard's rule for names that mix writing
directions is kept; Node 24 lets some of them pass.
Source: WHATWG URL Standard, sections 3 and 4 (read 2026-11); observed: node 24.19.0; recorded: tests/golden/convert.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final
from urllib.parse import unquote_to_bytes

from aisdk_lab.wire import json_text


class InvalidUrl(ValueError):
    """The text is no absolute URL; JavaScript throws `TypeError: Invalid URL`."""


_PORTS: Final = {"http": 80, "https": 443, "ws": 80, "wss": 443, "ftp": 21, "file": None}
"""The special schemes and the ports that go without saying."""
_SCHEME: Final = re.compile(r"([a-zA-Z][a-zA-Z0-9+.\-]*):", re.ASCII)
_DRIVE: Final = re.compile(r"[a-zA-Z][:|]")
_FRAGMENT, _QUERY, _SPECIAL_QUERY = ' "<>`', ' "#<>', " \"#<>'"
_PATH = ' "#<>?^`{}'
_USER = _PATH + "/:;=@[\\]|"
_FORBIDDEN_HOST: Final = frozenset("\0\t\n\r #/:<>?@[\\]^|")
_FORBIDDEN_DOMAIN: Final = _FORBIDDEN_HOST | {*map(chr, range(0x20)), "%", "\x7f"}
_SINGLE_DOTS: Final = {".", "%2e"}
_DOUBLE_DOTS: Final = {"..", ".%2e", "%2e.", "%2e%2e"}


def normal_url(text: str) -> str:
    """The URL in the standard's spelling.

    Raises:
        InvalidUrl: the text is relative or no URL.

    >>> normal_url("HTTP://Example.com:80/a/../b c?q=ü")
    'http://example.com/b%20c?q=%C3%BC'
    >>> normal_url("data:text/plain;base64,aGk=")
    'data:text/plain;base64,aGk='
    """
    text = json_text.mend_surrogates(text).strip("".join(map(chr, range(0x21))))
    text = text.translate({9: None, 10: None, 13: None})
    match = _SCHEME.match(text)
    if match is None:
        raise InvalidUrl(text)
    scheme, rest = match[1].lower(), text[match.end() :]
    rest, hash_sign, fragment = rest.partition("#")
    rest, question, query = rest.partition("?")
    if scheme == "file":
        body = _file_body(rest)
    elif scheme in _PORTS:
        body = _special_body(scheme, rest)
    else:
        body = _other_body(rest, bool(question or hash_sign))
    tail = ("?" + _encoded(query, _SPECIAL_QUERY if scheme in _PORTS else _QUERY)) if question else ""
    tail += ("#" + _encoded(fragment, _FRAGMENT)) if hash_sign else ""
    return f"{scheme}:{body}{tail}"


def _encoded(text: str, escaped: str) -> str:
    """Percent-encode what is in `escaped`, controls and everything beyond ASCII; percent signs stay as they are."""
    # Long data URLs are common: whole runs that need nothing are passed on, not single characters.
    return re.sub(
        rf"[\x00-\x1f\x7f-\U0010ffff{re.escape(escaped)}]",
        lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode()),
        text,
    )


def _special_body(scheme: str, rest: str) -> str:
    rest = rest.replace("\\", "/").lstrip("/")
    authority, _, path = rest.partition("/")
    return f"//{_authority(authority, scheme)}{_path(path, is_special=True)}"


def _file_body(rest: str) -> str:
    rest = rest.replace("\\", "/")
    host = ""
    if rest.startswith("//"):
        host, slash, path = rest[2:].partition("/")
        if _DRIVE.fullmatch(host):
            host, path = "", f"{host}{slash}{path}"
        host = _host(host, is_special=True) if host else ""
        host = "" if host == "localhost" else host
    else:
        path = rest.removeprefix("/")
    return f"//{host}{_path(path, is_special=True, is_file=True)}"


def _other_body(rest: str, has_tail: bool) -> str:
    if rest.startswith("//"):
        authority, slash, path = rest[2:].partition("/")
        return f"//{_authority(authority, None)}{_path(path, is_special=False) if slash else ''}"
    if rest.startswith("/"):
        path = _path(rest[1:], is_special=False)
        # Without the dot a path that begins with two slashes would read as an authority.
        return f"/.{path}" if path.startswith("//") else path
    # Opaque. Spaces at its end would be lost at the next reading, so the last one is escaped where something follows.
    if has_tail and rest.endswith(" "):
        rest = f"{rest[:-1]}%20"
    return _encoded(rest, "")


def _path(path: str, *, is_special: bool, is_file: bool = False) -> str:
    """The path behind its first slash, without dot segments."""
    kept: list[str] = []
    segments = path.split("/")
    for place, segment in enumerate(segments):
        is_last = place == len(segments) - 1
        if segment.lower() in _DOUBLE_DOTS:
            if kept and not (is_file and len(kept) == 1 and re.fullmatch("[a-zA-Z]:", kept[0])):
                kept.pop()
            kept += [""] * is_last
        elif segment.lower() in _SINGLE_DOTS:
            kept += [""] * is_last
        elif is_file and not kept and _DRIVE.fullmatch(segment):
            kept.append(f"{segment[0]}:")
        else:
            kept.append(_encoded(segment, _PATH))
    return "/" + "/".join(kept)


def _authority(text: str, scheme: str | None) -> str:
    """User, password, host and port."""
    login, at, host_and_port = text.rpartition("@")
    user, colon, password = login.partition(":")
    host, port = _split_port(host_and_port)
    if not host and (scheme is not None or at or port is not None):
        raise InvalidUrl(text)
    written = _encoded(user, _USER)
    if colon and password:
        written += ":" + _encoded(password, _USER)
    written = f"{written}@" if written else ""
    written += _host(host, is_special=scheme is not None) if host else ""
    if port and not (scheme is not None and int(port) == _PORTS[scheme]):
        written += f":{int(port)}"
    return written


def _split_port(text: str) -> tuple[str, str | None]:
    """Host and port; the colons of an IPv6 address stand in brackets."""
    host, colon, port = text.rpartition(":")
    if not colon or "]" in port:
        return text, None
    if port and not re.fullmatch(r"[0-9]{1,2000}", port):
        raise InvalidUrl(text)
    if port and int(port) > 65535:
        raise InvalidUrl(text)
    return host, port


def _host(text: str, *, is_special: bool) -> str:
    if text.startswith("["):
        if not text.endswith("]"):
            raise InvalidUrl(text)
        return f"[{_ipv6(text[1:-1])}]"
    if not is_special:
        if not _FORBIDDEN_HOST.isdisjoint(text):
            raise InvalidUrl(text)
        return _encoded(text, "")
    name = _ascii_name(unquote_to_bytes(text).decode("utf-8", "replace"))
    if not name or not _FORBIDDEN_DOMAIN.isdisjoint(name):
        raise InvalidUrl(text)
    return _ipv4(name) if _ends_in_number(name) else name


def _ascii_name(name: str) -> str:
    """A host name in lower case, labels beyond ASCII in Punycode."""
    if name.isascii() and "xn--" not in name.lower():
        return name.lower()
    try:
        return ".".join(_ascii_label(label) for label in _mapped(name).split("."))
    except ValueError as error:  # also of idna and of the codecs
        raise InvalidUrl(name) from error


def _ascii_label(label: str) -> str:
    import idna

    plain = label
    if label.startswith("xn--"):
        # What is written in Punycode must be Punycode, and of something that needs it and is already mapped.
        plain = label[4:].encode().decode("punycode")
        if plain.isascii() or _punycode(plain) != label or _mapped(plain) != plain:
            raise InvalidUrl(label)
    if plain.isascii():
        return label
    joiners = [place for place, character in enumerate(plain) if character in "\u200c\u200d"]
    if unicodedata.category(plain[0]).startswith("M") or not all(idna.valid_contextj(plain, at) for at in joiners):
        raise InvalidUrl(label)
    idna.check_bidi(plain)
    return _punycode(plain)


def _punycode(label: str) -> str:
    return "xn--" + label.encode("punycode").decode()


def _mapped(name: str) -> str:
    import idna

    return idna.uts46_remap(name, std3_rules=False, transitional=False)


def _ends_in_number(name: str) -> bool:
    labels = name.split(".")
    if labels[-1] == "" and len(labels) > 1:
        labels.pop()
    return re.fullmatch(r"[0-9]+|0[xX][0-9a-fA-F]*", labels[-1]) is not None


def _ipv4(name: str) -> str:
    """`0x7f.1` is 127.0.0.1: up to four numbers, decimal, octal or hexadecimal; the last one fills the rest."""
    labels = name.removesuffix(".").split(".")
    if len(labels) > 4:
        raise InvalidUrl(name)
    numbers = [_ipv4_number(label, name) for label in labels]
    last = numbers.pop()
    if any(number > 255 for number in numbers) or last >= 256 ** (4 - len(numbers)):
        raise InvalidUrl(name)
    address = last + sum(number << 8 * (3 - place) for place, number in enumerate(numbers))
    return ".".join(str(address >> shift & 255) for shift in (24, 16, 8, 0))


def _ipv4_number(label: str, name: str) -> int:
    if len(label) > 100:
        raise InvalidUrl(name)
    if re.fullmatch(r"0[xX][0-9a-fA-F]*", label):
        return int(label[2:] or "0", 16)
    if re.fullmatch(r"0[0-7]+", label):
        return int(label, 8)
    if re.fullmatch(r"0|[1-9][0-9]*", label):
        return int(label)
    raise InvalidUrl(name)


def _ipv6(text: str) -> str:
    """An address as pieces in lower-case hexadecimal; the first longest run of zeros becomes `::`."""
    import ipaddress

    # `%` begins a zone for Python; a URL has none.
    if "%" in text:
        raise InvalidUrl(text)
    try:
        number = int(ipaddress.IPv6Address(text))
    except ValueError:
        raise InvalidUrl(text) from None
    pieces = [f"{number >> shift & 0xFFFF:x}" for shift in range(112, -1, -16)]
    runs = [(len(found[0].split()), found) for found in re.finditer(r"\b0(?: 0)+\b", " ".join(pieces))]
    if not runs:
        return ":".join(pieces)
    longest = max(runs, key=lambda run: run[0])[1]
    joined = " ".join(pieces)
    return ":".join(joined[: longest.start()].split()) + "::" + ":".join(joined[longest.end() :].split())
