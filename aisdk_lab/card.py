"""A quiet card: how our objects show themselves in a notebook.

Stage: views, below everything that has a repr. Title, state in words, one line about it, labelled rows; colours come
from the host page's theme, and every text is taken for hostile.
"""

from __future__ import annotations

import html
from collections.abc import Mapping

from aisdk_lab.wire.visible import visible

_SOFT = "color:var(--jp-ui-font-color2,#767676)"
_LABEL = f"text-align:left;font-weight:400;padding:1px 12px 1px 0;vertical-align:top;{_SOFT}"
_VALUE = "text-align:left;padding:1px 0;white-space:pre-wrap"


def html_card(title: str, state: str, about: str | None, rows: Mapping[str, object | None]) -> str:
    """The card as HTML, everything escaped; rows without a value (`None` or an empty text) are left out."""
    cells = "".join(
        f'<tr><th style="{_LABEL}">{_escape(label)}</th><td style="{_VALUE}">{_escape(value)}</td></tr>'
        for label, value in rows.items()
        if value not in (None, "")
    )
    line = f'<div style="{_SOFT}">{_escape(about)}</div>' if about else ""
    return (
        '<div style="font:13px/1.45 var(--jp-ui-font-family,system-ui);max-width:720px">'
        f'<div><b>{_escape(title)}</b> <span style="{_SOFT}">· {_escape(state)}</span></div>{line}'
        f'<table style="border-collapse:collapse;margin:4px 0 0;font-variant-numeric:tabular-nums">{cells}</table></div>'
    )


def _escape(value: object) -> str:
    return html.escape(visible(str(value)))  # also: half a surrogate pair would break the notebook's encoder
