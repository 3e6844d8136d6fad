"""Which failures may pass by themselves, and when to ask again.

A request is repeated only where that cannot do a thing twice: the method is idempotent (RFC 9110, section 9.2.2), or it is
a POST with an Idempotency-Key, which every POST of this client has. A PATCH is repeated after 429 alone.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from ._errors import AudiosplitError
from ._flow import Flow, Sleep


@dataclass(frozen=True)
class RetryPolicy:
    #: Repetitions after the first try; those after 429 are counted apart.
    max_retries: int = 4
    #: Longest pause in seconds before the first repetition where the API names none; doubles with each.
    base_delay: float = 0.5
    #: No pause is longer. An answer that asks for more patience is raised at once. The API's windows are a minute long.
    max_delay: float = 61.0


class Retries:
    def __init__(self, method: str, policy: RetryPolicy) -> None:
        self._method = method
        self._policy = policy
        self.reset()

    def reset(self) -> None:
        """The count begins anew."""
        self._made = {"limit": 0, "failure": 0}

    def after(self, error: AudiosplitError) -> Flow[None]:
        """Returns when the next try may begin. Raises the error where there is to be none."""
        kind = "limit" if error.status == 429 else "failure"
        made = self._made[kind]
        if made >= self._policy.max_retries or not self._may_pass(error):
            raise error
        delay = error.retry_after
        if delay is None:
            # Spread over the whole span, so that many clients that failed together do not come back together.
            delay = random.random() * min(self._policy.max_delay, self._policy.base_delay * 2**made)
        if delay > self._policy.max_delay:
            raise error
        self._made[kind] += 1
        yield Sleep(delay)

    def _may_pass(self, error: AudiosplitError) -> bool:
        if error.status == 429 or error.code == "IDEMPOTENCY_IN_PROGRESS":
            return True
        passing = error.code == "CONNECTION_FAILED" or error.status in (502, 503, 504)
        return passing and self._method != "PATCH"
