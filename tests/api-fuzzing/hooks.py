"""
What a schema cannot say, made true of the requests that are meant to be accepted, and a caller's address for each.

Requests that are meant to be refused go out as they were generated.
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
# RFC 6761, section 6.4: no name below it is ever resolved, so nobody is sent a notification.
WEBHOOK = "https://hooks.invalid/audio"
OWN_KEY = os.environ["FUZZED_API_KEY_ID"]
BEGIN = datetime.now(timezone.utc)

requests_sent = itertools.count(1)
# What the answers have given: unspent refresh tokens, and who may sign in.
refresh_tokens = []
sign_ins = []
complete_jobs = []


@schemathesis.hook
def before_call(context, case, kwargs):
    number = next(requests_sent)
    # Unknown callers have a bucket per address, which would soon be empty.
    case.headers["X-Forwarded-For"] = f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
    # Whoever revokes or replaces the key that it calls with has nothing more to say.
    if case.path_parameters.get("keyId") == OWN_KEY and case.method in ("DELETE", "POST"):
        case.path_parameters["keyId"] = "key_spared"
    # The same holds for its own session, which it may have read in the list.
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
    # New for each request that is not a repeat; one that is would be answered without being done.
    key = case.headers.get("Idempotency-Key")
    if key is not None:
        case.headers["Idempotency-Key"] = f"{key[:240]}-{number}"
    # Whether a job of an earlier request can still be cancelled is a matter of milliseconds.
    if case.operation.path == "/api/v1/splits/{jobId}/cancel" and number % 4 > 0:
        case.path_parameters["jobId"] = new_job()
    # And so is whether one that earlier answers have told of is there still, and complete.
    of_segments = ("/api/v1/splits/{jobId}/archive", "/api/v1/splits/{jobId}/waveform")
    if case.operation.path in of_segments and number % 4 > 0:
        case.path_parameters["jobId"] = complete_job()
    # Of the page before, which alone knows it.
    if case.operation.path == "/api/v1/splits/search":
        case.query.pop("pageToken", None)
    # Values in base64 that decode to a name for a file.
    if "Upload-Metadata" in case.headers:
        case.headers["Upload-Metadata"] = "filename dGFsay5tcDM="
    body = case.body
    if not isinstance(body, dict):
        return
    # Answers, with a file or without one, and is no stranger's.
    if "sourceUrl" in body:
        body["sourceUrl"] = SAMPLE if number % 4 == 0 else f"{SAMPLE}.{number}"
    if "sources" in body:
        body["sources"] = [SAMPLE]
    if "webhookUrl" in body:
        body["webhookUrl"] = WEBHOOK
    if case.operation.path == "/api/v1/webhooks/endpoint":
        body["url"] = WEBHOOK
    # Contradicts nothing by itself.
    for cut in (body, body.get("request"), body.get("settings")):
        if isinstance(cut, dict) and "splitMode" in cut:
            make_consistent(cut)
    # Names that the schema cannot rule out: those of the connection, and the same in another case.
    if isinstance(body.get("sourceHeaders"), dict):
        values = list(body["sourceHeaders"].values())
        body["sourceHeaders"] = {f"x-{position}": value for position, value in enumerate(values)}
    # Can be kept; of what lies within metadata the schema cannot say so.
    if "metadata" in body:
        body["metadata"] = keepable(body["metadata"])
    # Lies in the future.
    if body.get("expiresAt") is not None:
        body["expiresAt"] = f"2096{body['expiresAt'][4:]}"
    # Moves forward, and less than ten years.
    if "now" in body:
        body["now"] = (BEGIN + timedelta(hours=6 * number)).isoformat()
    # Of a card, mostly: without one there is no subscription to go on with.
    if "token" in body and number % 4 > 0:
        body["token"] = "tok_visa"
    # Works, mostly.
    if "refreshToken" in body and refresh_tokens and number % 4 > 0:
        body["refreshToken"] = refresh_tokens.pop()
    if case.operation.path == "/api/v1/auth/login" and sign_ins and number % 4 > 0:
        body.update(sign_ins[number % len(sign_ins)])


def make_consistent(cut):
    """Orders times, and leaves out what other fields of the cut rule out (gateway/src/schemas/cut-rules.ts)."""
    # A job that has just been created and has no archive is taken for a fault.
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
    """The same one for as long as nobody has deleted it."""
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
