"""A class for each code: `except errors.QuotaExceeded`."""

from ._errors import AudiosplitError as AudiosplitError
from ._errors import ConnectionFailed as ConnectionFailed
from ._errors import JobFailedError as JobFailedError
from ._errors import UnexpectedAnswer as UnexpectedAnswer
from ._generated.errors import *  # noqa: F403
