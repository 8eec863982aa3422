"""The version axis: since which release of `ai` something is said, and what clients of another release do with it.

Stage: ui_stream. `all_rows()` is the table; `validate_chunk`, `what_clients_do`, `first_refusal` and the two resend
predicates read it. `release` names versions, `behaviours` holds what changed without a new name on the wire.
"""

from aisdk_lab.ui_stream.versions.behaviours import BEHAVIOURS as BEHAVIOURS, Behaviour as Behaviour, has as has
from aisdk_lab.ui_stream.versions.hazards import Hazard as Hazard, find_hazards as find_hazards
from aisdk_lab.ui_stream.versions.release import (
    NAMED as NAMED,
    REFERENCE as REFERENCE,
    Life as Life,
    Release as Release,
    read_version as read_version,
)
from aisdk_lab.ui_stream.versions.rows import Row as Row, all_rows as all_rows, rows_that_differ as rows_that_differ
from aisdk_lab.ui_stream.versions.verdict import (
    ClientVerdict as ClientVerdict,
    first_refusal as first_refusal,
    first_version_that_accepts as first_version_that_accepts,
    ranges_that_accept as ranges_that_accept,
    turning_points as turning_points,
    validate_chunk as validate_chunk,
    what_clients_do as what_clients_do,
)
