"""Files that follow the store, for people and other programs to read; deleting them loses nothing.

`MirrorWriter` writes memories, summaries, exchanges and the snapshot; `DailyLog` writes the daily logs, as a job.
"""

from recollect.transfer.mirror.daily_log import DailyLog
from recollect.transfer.mirror.follower import MirrorTargets, MirrorWriter
from recollect.transfer.mirror.json_files import (
    DurableFile,
    SummaryFile,
    durable_name,
    read_durable,
    read_summary,
    summary_name,
)

__all__ = [
    "DailyLog",
    "DurableFile",
    "MirrorTargets",
    "MirrorWriter",
    "SummaryFile",
    "durable_name",
    "read_durable",
    "read_summary",
    "summary_name",
]
