"""
Makes requests that should be accepted meet the rules that a schema cannot express, and sets each one's caller address.

Requests that should be refused are sent as they were generated.
"""

import itertools
import json
import os
import time
from datetime import datetime, timedelta, timezone
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import schemathesis
from schemathesis import GenerationMode

BASE_URL = os.environ["FUZZED_BASE_URL"]
API_KEY = os.environ["FUZZED_API_KEY"]
SAMPLE = f"{BASE_URL}/samples/tour.mp3"
# RFC 6761, section 6.4: no name below it is ever resolved, so no server is sent a notification.
WEBHOOK = "https://hooks.invalid/audio"
OWN_KEY = os.environ["FUZZED_API_KEY_ID"]
BEGIN = datetime.now(timezone.utc)

requests_sent = itertools.count(1)
# What responses have returned: unspent refresh tokens, and the accounts that can sign in.
refresh_tokens = []
sign_ins = []
complete_jobs = []


@schemathesis.hook
def before_call(context, case, kwargs):
    number = next(requests_sent)
    # Unknown callers have a bucket per address, which would soon be empty.
    case.headers["X-Forwarded-For"] = f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
    # A caller that revokes or replaces its own key can make no more requests.
    if case.path_parameters.get("keyId") == OWN_KEY and case.method in ("DELETE", "POST"):
        case.path_parameters["keyId"] = "key_spared"
    # The same holds for its own session, whose id it may have read in the list.
    if "sessionId" in case.path_parameters and case.method == "DELETE":
        case.path_parameters["sessionId"] = "ses_spared"
    if case.meta is not None and case.meta.generation.mode is GenerationMode.POSITIVE:
        fulfil(case, number)


@schemathesis.hook
def after_call(context, case, response):
    if case.operation.path.startswith("/api/v1/auth/") and response.status_code in (200, 201):
        refresh_tokens.append(response.json()["refreshToken"])
        if case.operation.path == "/api/v1/auth/register":
            sign_ins.append({name: case.body[name] for name in ("email", "password")})


def fulfil(case, number):
    # New for each request that is not a repeat; a repeat would be answered without being executed.
    key = case.headers.get("Idempotency-Key")
    if key is not None:
        case.headers["Idempotency-Key"] = f"{key[:240]}-{number}"
    # Whether a job of an earlier request can still be canceled depends on milliseconds.
    if case.operation.path == "/api/v1/splits/{jobId}/cancel" and number % 4 > 0:
        case.path_parameters["jobId"] = new_job()
    # So does whether a job from an earlier response still exists and is complete.
    of_segments = ("/api/v1/splits/{jobId}/archive", "/api/v1/splits/{jobId}/waveform")
    if case.operation.path in of_segments and number % 4 > 0:
        case.path_parameters["jobId"] = complete_job()
    # Belongs to the previous page, and is valid only for it.
    if case.operation.path == "/api/v1/splits/search":
        case.query.pop("pageToken", None)
    # Values in base64 that decode to a file name.
    if "Upload-Metadata" in case.headers:
        case.headers["Upload-Metadata"] = "filename dGFsay5tcDM="
    body = case.body
    if not isinstance(body, dict):
        return
    # An address that responds, with a file or without one, and belongs to no third party.
    if "sourceUrl" in body:
        body["sourceUrl"] = SAMPLE if number % 4 == 0 else f"{SAMPLE}.{number}"
    if "sources" in body:
        body["sources"] = [SAMPLE]
    # A destination is a connection of the account, whose bucket would have to exist.
    body.pop("destination", None)
    body.pop("keepCopy", None)
    if "webhookUrl" in body:
        body["webhookUrl"] = WEBHOOK
    if case.operation.path == "/api/v1/webhooks/endpoint":
        body["url"] = WEBHOOK
    # The cut must not contradict itself.
    for cut in (body, body.get("request"), body.get("settings")):
        if isinstance(cut, dict) and "splitMode" in cut:
            make_consistent(cut)
    # Names that the schema cannot exclude: those of the connection, and the same name in another case.
    if isinstance(body.get("sourceHeaders"), dict):
        values = list(body["sourceHeaders"].values())
        body["sourceHeaders"] = {f"x-{position}": value for position, value in enumerate(values)}
    # No server has this address, and the name is unique.
    if case.operation.path == "/api/v1/connections":
        body["name"] = f"store-{number}"
        body["endpoint"] = "https://s3.invalid"
        body["prefix"] = f"of-{number}"
    # Can be stored; the schema cannot state that for the contents of metadata.
    if "metadata" in body:
        body["metadata"] = keepable(body["metadata"])
    # In the future.
    if body.get("expiresAt") is not None:
        body["expiresAt"] = f"2096{body['expiresAt'][4:]}"
    # Moves forward by less than ten years.
    if "now" in body:
        body["now"] = (BEGIN + timedelta(hours=6 * number)).isoformat()
    # Mostly a card's: without one there is no subscription to continue with.
    if "token" in body and number % 4 > 0:
        body["token"] = "tok_visa"
    # Mostly a valid one.
    if "refreshToken" in body and refresh_tokens and number % 4 > 0:
        body["refreshToken"] = refresh_tokens.pop()
    if case.operation.path == "/api/v1/auth/login" and sign_ins and number % 4 > 0:
        body.update(sign_ins[number % len(sign_ins)])


def make_consistent(cut):
    """Orders times, and omits fields that other fields of the cut exclude (gateway/src/schemas/cut-rules.ts)."""
    # A newly created job without an archive would be reported as a fault.
    cut.pop("dryRun", None)
    trim = cut.get("trim", {})
    if "end" in trim:
        trim.update(start=0, end=30)
    for number, chapter in enumerate(cut.get("chapters", [])):
        chapter["startTime"] = number
    for number, wanted in enumerate(cut.get("ranges", [])):
        wanted.update({name: number + (name == "end") for name in ("start", "end") if name in wanted})
    if "ranges" in cut:
        cut.pop("splitPoints", None)
    elif cut["splitMode"] == "ranges":
        cut.setdefault("splitPoints", [1])
    if "splitPoints" in cut:
        cut["splitPoints"] = [number + 1 for number in range(len(cut["splitPoints"]))]
    if "maxDuration" in cut and "silence" in cut:
        cut["silence"].pop("minDuration", None)
    if "snapToSilence" in cut:
        cut["snapToSilence"].pop("minSilence", None)
        cut.setdefault("maxDuration", 4000)
    if "overlap" in cut:
        cut["overlap"] = 0.1
        if "parts" in cut:
            cut["parts"] = min(cut["parts"], 100)
        cut.get("silence", {}).pop("keepSilence", None)
    if not cut.get("silence", True):
        del cut["silence"]
    if "encoding" in cut and ("outputFormat" in cut or "preset" in cut):
        for name in ("sampleRate", "bitrate", "bitDepth", "md5"):
            cut["encoding"].pop(name, None)
        cut["encoding"].setdefault("channels", 1)
    if "fileName" in cut:
        cut["fileName"] = cut["fileName"].replace("{", "(").replace("}", ")")


def keepable(value):
    if isinstance(value, str):
        return value.replace("\0", "")
    if isinstance(value, list):
        return [keepable(each) for each in value]
    if isinstance(value, dict):
        return {keepable(name): keepable(each) for name, each in value.items()}
    return value


def new_job():
    return ask("", json.dumps({"sourceUrl": SAMPLE, "splitMode": "duration", "segmentDuration": 1}).encode())["id"]


def complete_job():
    """Returns the same job until it is deleted."""
    while True:
        if not complete_jobs:
            complete_jobs.append(new_job())
        try:
            if ask(f"/{complete_jobs[0]}")["status"] == "completed":
                return complete_jobs[0]
            time.sleep(0.1)
        except HTTPError as refusal:
            if refusal.code != 404:
                raise
            complete_jobs.clear()


def ask(path, body=None):
    headers = {"X-API-Key": API_KEY, "Content-Type": "application/json"}
    with urlopen(Request(f"{BASE_URL}/api/v1/splits{path}", body, headers)) as answer:
        return json.load(answer)
