"""Client of the audiosplit API: split audio, and wait for the pieces."""

from . import errors, transcripts, webhooks
from ._client import AsyncAudiosplit, Audiosplit, Settings
from ._cuts import Cut
from ._errors import AudiosplitError, JobFailedError
from ._generated.models import Batch, CompletedJob, CreatedBatch, FailedJob, JobRow, ProcessingJob, QueuedJob, Segment
from ._retries import RetryPolicy
from ._sources import Source
from ._splits import Job
from ._version import __version__

__all__ = [
    "AsyncAudiosplit",
    "Audiosplit",
    "AudiosplitError",
    "Batch",
    "CompletedJob",
    "CreatedBatch",
    "Cut",
    "FailedJob",
    "Job",
    "JobFailedError",
    "JobRow",
    "ProcessingJob",
    "QueuedJob",
    "RetryPolicy",
    "Segment",
    "Settings",
    "Source",
    "__version__",
    "errors",
    "transcripts",
    "webhooks",
]
