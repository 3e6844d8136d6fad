import base64
import hashlib
import hmac
import time

import pytest

from audiosplit import Audiosplit, webhooks

SECRET = "whsec_" + base64.b64encode(b"a key of some length").decode()
OTHER = "whsec_" + base64.b64encode(b"another key").decode()
BODY = b'{"type":"split.completed","data":{"id":"job_1"}}'


def signed(body: bytes = BODY, *, secret: str = SECRET, age: int = 0) -> dict[str, str]:
    at = str(int(time.time()) - age)
    key = base64.b64decode(secret.removeprefix("whsec_"))
    digest = hmac.digest(key, f"msg_1.{at}.".encode() + body, hashlib.sha256)
    signature = "v1," + base64.b64encode(digest).decode()
    return {"Webhook-Id": "msg_1", "webhook-timestamp": at, "webhook-signature": signature}


def test_what_is_signed_is_believed() -> None:
    assert webhooks.verify(signed(), BODY, SECRET)["type"] == "split.completed"
    assert webhooks.verify(signed(), BODY.decode(), [OTHER, SECRET])["data"] == {"id": "job_1"}
    client = Audiosplit("http://localhost", webhook_secret=SECRET)
    assert client.webhooks.verify(signed(), BODY)["type"] == "split.completed"


@pytest.mark.parametrize(
    "headers",
    [
        {},
        signed(age=400),
        signed(age=-400),
        signed(secret=OTHER),
        signed(b"{}"),
        {**signed(), "Webhook-Id": "msg_2"},
        {**signed(), "webhook-timestamp": "soon"},
        {**signed(), "webhook-timestamp": "٣"},
        {**signed(), "webhook-signature": ""},
        {**signed(), "webhook-signature": "v1,é v2," + signed()["webhook-signature"][3:]},
    ],
)
def test_anything_else_is_not(headers: dict[str, str]) -> None:
    with pytest.raises(webhooks.InvalidSignature):
        webhooks.verify(headers, BODY, SECRET)
