"""Does a value keep a JSON Schema? Every issue with its path, whatever the value is.

Stage: ui_stream, for `validate_messages`. The `jsonschema` library does the work (extra `schemas`), loaded when the first
schema is given. The dialect is the one that `$schema` names, else 2020-12; `format` is an annotation, as the standard has
it, and `default` fills nothing in. A `$ref` is looked up in the schema itself and among the standard dialects: nothing is
ever fetched.
Schemas are the caller's own text: a regular expression in one that takes exponential time, or `uniqueItems` over a long
remote list of objects (the library compares them pairwise), takes that time here too. Do not take schemas from strangers.
Differences from the reference: it gets schema objects (zod and others) and leaves JSON Schemas to them; the recorded cases
went through zod's `fromJSONSchema`. Paths are given as zod gives them: a missing required key is an issue at that key, and
issues come in the order of `properties` (but zod names some places twice, and looks into the one option of an `anyOf`
that has the right type). Verdicts differ where zod leaves the standard: it refuses `not`, `if` and their
kin, asserts `format`, fills in `default`, and asks for no type where `type` is missing.
Source: json-schema.org 2020-12 and draft-07; observed: jsonschema 4.26.0, zod 4.6.7.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import Any, Protocol, cast

from aisdk_lab.errors import LabError, MissingExtra, cut
from aisdk_lab.ui_stream.chunks import UNSET
from aisdk_lab.ui_stream.shapes import Issue, Path, Walk, json_members


class SchemaProblem(LabError):
    """A JSON Schema of the caller that cannot be used; names the schema, what is wrong and where in it."""


class Schema(Protocol):
    """A schema that is ready to judge."""

    def issues(self, value: Any) -> tuple[Issue, ...]:
        """What is wrong with the value (`UNSET`: there is none); empty when it keeps the schema."""
        ...


def read_schema(schema: Any, name: str) -> Schema:
    """Make a schema ready; `name` is how errors call it, for example `tools['weather'].inputSchema`.

    Raises:
        MissingExtra: the `jsonschema` library is not installed.
        SchemaProblem: the dialect is unknown or the schema is broken.
    """
    try:
        import jsonschema
    except ImportError as error:
        raise MissingExtra("jsonschema", "schemas") from error
    if not isinstance(schema, (dict, bool)):
        raise SchemaProblem(f"{name} is no JSON Schema: expected an object or a boolean, got {cut(repr(schema), 80)}.")
    dialect: Any = schema.get("$schema", _DEFAULT_DIALECT) if isinstance(schema, dict) else _DEFAULT_DIALECT
    known = {str(cls.META_SCHEMA.get("$schema", "")).rstrip("#"): cls for cls in _dialects()}
    if not isinstance(dialect, str) or dialect.rstrip("#") not in known:
        raise SchemaProblem(
            f"{name} is in an unknown dialect: $schema is {cut(repr(dialect), 80)}. Use one of {', '.join(known)}."
        )
    cls = known[dialect.rstrip("#")]
    try:
        cls.check_schema(schema)
    except jsonschema.SchemaError as error:
        place = "".join(f"[{key!r}]" for key in error.absolute_path)
        raise SchemaProblem(f"{name} is a broken JSON Schema: {cut(error.message)}  @ {name}{place}") from None
    except (RecursionError, re.error, ValueError, TypeError) as error:
        raise SchemaProblem(f"{name} is a broken JSON Schema: {type(error).__name__}: {cut(str(error))}") from None
    return _Checked(schema, name, cls)


_DEFAULT_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def _dialects() -> Iterable[Any]:
    """The dialects that the library knows, newest first."""
    import jsonschema

    return (
        jsonschema.Draft202012Validator,
        jsonschema.Draft201909Validator,
        jsonschema.Draft7Validator,
        jsonschema.Draft6Validator,
        jsonschema.Draft4Validator,
        jsonschema.Draft3Validator,
    )


def _is_number(_checker: Any, value: Any) -> bool:
    """A number as JSON has it: no boolean, no NaN, no infinity."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and _is_finite(value)


def _is_finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def _in_order(keyword: Any) -> Any:
    """A keyword whose errors come in the order of the value's keys; the library goes through a set of them."""

    def errors(validator: Any, rule: Any, instance: Any, schema: Any) -> list[Any]:
        found = list(keyword(validator, rule, instance, schema))
        places = {key: place for place, key in enumerate(instance)} if len(found) > 1 else {}
        return sorted(found, key=lambda error: places.get(error.path[0] if error.path else None, -1))

    return errors


class _Checked:
    """A schema that was found to be one."""

    def __init__(self, schema: Any, name: str, dialect: Any) -> None:
        from jsonschema import validators
        from jsonschema_specifications import REGISTRY

        checker = dialect.TYPE_CHECKER.redefine("number", _is_number)
        keyword = "additionalProperties"
        ordered = {keyword: _in_order(dialect.VALIDATORS[keyword])}
        cls: Any = validators.extend(dialect, ordered, type_checker=checker)
        # The registry of the standard dialects has no way to fetch anything.
        self._validator = cls(schema, registry=REGISTRY)
        self._schema = schema
        self._name = name

    def issues(self, value: Any) -> tuple[Issue, ...]:
        """What is wrong with the value; nested too deeply to be judged is wrong too."""
        from referencing.exceptions import Unresolvable

        if value is not UNSET:
            walk = Walk()
            # What the library gets is plain JSON, so that whatever it raises is the schema's fault.
            value = json_members(value, walk)
            if walk.issues:
                return tuple(walk.issues)
        try:
            errors = list(self._validator.iter_errors(value))
        except RecursionError:
            return (Issue((), "nested too deeply to be checked against the schema", "a flatter value", value),)
        except ArithmeticError as error:
            return (Issue((), f"holds a number that cannot be checked: {error}", "a smaller number", value),)
        except Unresolvable as error:
            reference = cut(repr(getattr(error, "ref", "")), 80)
            raise SchemaProblem(
                f"{self._name} refers to {reference}, which is not in it; nothing is fetched."
            ) from None
        except (re.error, TypeError, ValueError, LookupError) as error:
            # Parts that only a reference reaches are not judged before.
            raise SchemaProblem(
                f"{self._name} is a broken JSON Schema: {type(error).__name__}: {cut(str(error))}"
            ) from None
        if errors and value is UNSET:
            return (Issue((), "there is no value, and the schema asks for one", "a value", value),)
        # As in zod, the members of an array that is too long are not looked at, and where only certain values are
        # allowed, the type of another one is no second issue.
        too_long = {tuple(error.absolute_path) for error in errors if error.validator == "maxItems"}
        listed = {_place(error) for error in errors if error.validator in ("enum", "const")}
        found = [
            _issue(error)
            for error in errors
            if not _is_below(tuple(error.absolute_path), too_long)
            and not (error.validator == "type" and _place(error) in listed)
        ]
        return tuple(sorted(found, key=lambda issue: _order(issue.path, self._schema)))


def _place(error: Any) -> tuple[Path, int]:
    """Where in the value, and by which schema: one place may be judged by several."""
    return tuple(error.absolute_path), id(error.schema)


def _is_below(path: Path, places: set[Path]) -> bool:
    return any(path[:length] in places for length in range(len(path)))


def _issue(error: Any) -> Issue:
    """A `ValidationError` of the library, with the path that zod would give."""
    path: Path = tuple(error.absolute_path)
    if error.validator == "required" and isinstance(error.validator_value, list):
        missing = [key for key in error.validator_value if error.message == f"{key!r} is a required property"]
        return Issue((*path, *missing[:1]), cut(error.message), "a value", UNSET)
    return Issue(path, cut(error.message), "what the schema asks for", error.instance)


def _order(path: Path, schema: Any) -> list[float]:
    """Sort by the order of `properties`, as far as they are written out; an object's own issues come after its keys'."""
    order: list[float] = []
    for key in path:
        properties: Any = schema.get("properties") if isinstance(schema, Mapping) else None
        if isinstance(key, int):
            order.append(key)
            schema = cast("Mapping[str, Any]", schema).get("items") if isinstance(schema, Mapping) else None
        elif isinstance(properties, dict) and key in properties:
            order.append(list(properties).index(key))
            schema = properties[key]
        else:
            order.append(math.inf)
            schema = None
    return [*order, math.inf]
