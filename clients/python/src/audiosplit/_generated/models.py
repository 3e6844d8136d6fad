# Made from the description of the API by `npm run generate -- python`. Changes are lost.
# Of a description with the digest b15b48bd5be92bf9c0f1c5e3e4eed056bccc557dcbcad05136be49aed7598e3e.

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from typing_extensions import NotRequired, TypedDict


class Pagination(TypedDict):
    page: int
    limit: int
    total: int
    totalPages: int


class Account(TypedDict):
    id: str
    email: str
    name: str
    createdAt: str


class Session(TypedDict):
    account: Account
    accessToken: str
    refreshToken: str
    tokenType: Literal['Bearer']
    expiresIn: int


class JsonWebKeySet(TypedDict):
    keys: list[dict[str, Any]]


class CreatedApiKey(TypedDict):
    id: str
    name: str
    key: str
    scopes: list[str]
    createdAt: str
    expiresAt: str | None


class ApiKey(TypedDict):
    id: str
    name: str
    keyPreview: str
    scopes: list[str]
    lastUsedAt: str | None
    createdAt: str
    expiresAt: str | None
    updatedAt: str


class ApiKeyList(TypedDict):
    data: list[ApiKey]
    pagination: Pagination


class Destination(TypedDict, closed=True):
    connection: str
    prefix: NotRequired[str]


class Fetching(TypedDict):
    fetchedBytes: int
    totalBytes: NotRequired[int]


class Loudness(TypedDict):
    measured: float | None
    gain: float
    truePeak: float | None


class Error(TypedDict):
    code: Literal['SOURCE_UNREACHABLE', 'SOURCE_TIMEOUT', 'SOURCE_FORBIDDEN', 'FORBIDDEN_BY_STORE', 'DESTINATION_UNREACHABLE', 'UNSUPPORTED_MEDIA', 'FILE_TOO_LARGE', 'SEGMENT_LIMIT_UNREACHABLE', 'TOO_MANY_SEGMENTS', 'NO_SOUND', 'NO_CHAPTERS', 'RANGE_OUTSIDE_SOURCE', 'TOO_MUCH_OVERLAP', 'NO_SUCH_TRACK', 'ENCODING_UNSUPPORTED', 'QUOTA_EXCEEDED', 'SPEND_LIMIT_REACHED', 'OUTPUT_TOO_LARGE', 'TIMED_OUT', 'CANCELED', 'INTERNAL_ERROR']
    message: str


class Segment(TypedDict):
    index: int
    downloadUrl: NotRequired[str]
    startTime: float
    contentStart: NotRequired[float]
    endTime: float
    duration: int
    cut: NotRequired[Literal['exact', 'silence', 'quietest', 'chapter', 'range', 'end']]
    location: NotRequired[str]
    title: NotRequired[str]
    fileName: str
    size: int
    sizeIsEstimate: NotRequired[bool]
    expiresAt: NotRequired[str]


class SilenceOptions(TypedDict):
    threshold: NotRequired[float | str]
    minSilence: NotRequired[float]
    minDuration: NotRequired[float]
    keepSilence: NotRequired[float]


class Chapter(TypedDict):
    startTime: float
    title: NotRequired[str]
    toc: NotRequired[bool]
    endTime: NotRequired[float]
    img: NotRequired[str]
    url: NotRequired[str]
    location: NotRequired[dict[str, str]]


class Range(TypedDict):
    start: float
    end: NotRequired[float]
    title: NotRequired[str]


class SnapToSilence(TypedDict):
    window: float
    threshold: NotRequired[float | str]
    minSilence: NotRequired[float]


class Trim(TypedDict):
    start: NotRequired[float]
    end: NotRequired[float]


class Loudness1(TypedDict):
    target: float


class Encoding(TypedDict):
    sampleRate: NotRequired[int]
    channels: NotRequired[int]
    bitrate: NotRequired[int]
    bitDepth: NotRequired[Literal[16, 24]]
    loudness: NotRequired[Loudness1]
    md5: NotRequired[bool]


class JobRow(TypedDict):
    id: str
    batchId: NotRequired[str]
    status: Literal['queued', 'processing', 'completed', 'failed']
    splitMode: Literal['duration', 'fileSize', 'silence', 'chapters', 'ranges', 'parts']
    segmentDuration: NotRequired[int]
    maxFileSize: NotRequired[int]
    parts: NotRequired[int]
    maxDuration: NotRequired[float]
    overlap: NotRequired[float]
    audioTrack: NotRequired[int]
    outputFormat: NotRequired[Literal['mp3', 'wav', 'flac', 'ogg', 'aac']]
    sourceFileName: NotRequired[str]
    segmentCount: int | None
    createdAt: str
    completedAt: str | None
    failedAt: NotRequired[str]
    error: NotRequired[Error]


class JobList(TypedDict):
    data: list[JobRow]
    pagination: Pagination


class FoundJobs(TypedDict):
    data: list[JobRow]
    nextPageToken: NotRequired[str]
    lookedBackTo: NotRequired[str]


class Batch(TypedDict):
    id: str
    createdAt: str
    total: int
    queued: int
    processing: int
    completed: int
    failed: int
    canceled: int


class Job(TypedDict):
    index: int
    jobId: str


class RefusedItem(TypedDict):
    index: int
    message: str


class CreatedBatch(TypedDict):
    id: str
    createdAt: str
    total: int
    queued: int
    processing: int
    completed: int
    failed: int
    canceled: int
    jobs: list[Job]
    refused: list[RefusedItem]


class Silence(TypedDict, closed=True):
    threshold: NotRequired[float | str]
    minSilence: NotRequired[float]
    minDuration: NotRequired[float]
    keepSilence: NotRequired[float]


class Chapter1(TypedDict, closed=True):
    startTime: float | str
    title: NotRequired[str]
    toc: NotRequired[bool]
    endTime: NotRequired[float | str]
    img: NotRequired[str]
    url: NotRequired[str]
    location: NotRequired[dict[str, str]]


class Range1(TypedDict, closed=True):
    start: float | str
    end: NotRequired[float | str]
    title: NotRequired[str]


SplitPoint: TypeAlias = float | str


class SnapToSilence1(TypedDict, closed=True):
    window: float
    threshold: NotRequired[float | str]
    minSilence: NotRequired[float]


class Trim1(TypedDict, closed=True):
    start: NotRequired[float | str]
    end: NotRequired[float | str]


class Loudness2(TypedDict, closed=True):
    target: float


class Encoding1(TypedDict, closed=True):
    sampleRate: NotRequired[int]
    channels: NotRequired[int]
    bitrate: NotRequired[int]
    bitDepth: NotRequired[Literal[16, 24]]
    loudness: NotRequired[Loudness2]
    md5: NotRequired[bool]


class SplitSettings(TypedDict, closed=True):
    splitMode: Literal['duration', 'fileSize', 'silence', 'chapters', 'ranges', 'parts']
    segmentDuration: NotRequired[int]
    maxFileSize: NotRequired[int]
    silence: NotRequired[Silence]
    chapters: NotRequired[list[Chapter1]]
    ranges: NotRequired[list[Range1]]
    splitPoints: NotRequired[list[SplitPoint]]
    parts: NotRequired[int]
    maxDuration: NotRequired[float]
    snapToSilence: NotRequired[SnapToSilence1]
    overlap: NotRequired[float]
    trim: NotRequired[Trim1]
    audioTrack: NotRequired[int | str]
    encoding: NotRequired[Encoding1]
    preset: NotRequired[Literal['speech']]
    fileName: NotRequired[str]
    dryRun: NotRequired[bool]
    outputFormat: NotRequired[Literal['mp3', 'wav', 'flac', 'ogg', 'aac']]


class Preset(TypedDict):
    id: str
    name: str
    request: SplitSettings
    createdAt: str
    updatedAt: str


class BuiltInItem(TypedDict):
    id: str
    name: str
    request: SplitSettings
    source: NotRequired[str]


class PresetList(TypedDict):
    data: list[Preset]
    builtIn: list[BuiltInItem]


class Connection(TypedDict):
    id: str
    name: str
    type: Literal['s3']
    endpoint: NotRequired[str]
    region: str
    bucket: str
    prefix: NotRequired[str]
    accessKeyId: str
    createdAt: str


class ConnectionList(TypedDict):
    data: list[Connection]


class Check(TypedDict):
    action: Literal['list', 'read', 'write', 'delete']
    ok: bool
    message: NotRequired[str]


class ConnectionTest(TypedDict):
    ok: bool
    checks: list[Check]


class Waveform(TypedDict):
    version: Literal[2]
    channels: Literal[1]
    sample_rate: int
    samples_per_pixel: int
    bits: Literal[8]
    length: int
    data: list[int]


class PendingWaveform(TypedDict):
    status: Literal['processing']


class Suspension(TypedDict):
    suspendedAt: str
    reason: str


class Account1(TypedDict):
    id: str
    email: NotRequired[str]
    name: str
    createdAt: str
    deletionScheduledAt: NotRequired[str]
    suspension: NotRequired[Suspension]


class SecondFactor(TypedDict):
    enabledAt: str
    recoveryCodesLeft: int


class Security(TypedDict):
    email: str
    emailVerified: bool
    pendingEmail: NotRequired[str]
    secondFactor: NotRequired[SecondFactor]
    mustVerifyEmail: bool


class SignedInSession(TypedDict):
    id: str
    createdAt: str
    lastUsedAt: str
    address: str | None
    userAgent: str | None
    current: bool


class SessionList(TypedDict):
    data: list[SignedInSession]


class SecondFactorSecret(TypedDict):
    secret: str
    uri: str


class RecoveryCodes(TypedDict):
    recoveryCodes: list[str]


class DeletionScheduled(TypedDict):
    message: str
    deletionScheduledAt: str


class StartedExport(TypedDict):
    exportId: str
    status: Literal['processing', 'completed', 'failed', 'expired']
    format: Literal['json', 'csv']
    estimatedCompletionAt: str
    message: str


class Export(TypedDict):
    exportId: str
    status: Literal['processing', 'completed', 'failed', 'expired']
    format: Literal['json', 'csv']
    createdAt: str
    estimatedCompletionAt: str
    downloadUrl: NotRequired[str]
    expiresAt: NotRequired[str]
    sizeBytes: NotRequired[int]
    sha256: NotRequired[str]


class ExportList(TypedDict):
    data: list[Export]
    pagination: Pagination


class Plan(TypedDict):
    id: str
    name: str
    monthlyMinutes: int
    maxFileSize: int
    maxOutputBytes: int
    pricePerMonth: int
    currency: str
    concurrentJobs: int
    requestsPerMinute: int
    overageMillicentsPerMinute: int | None


class PlanList(TypedDict):
    data: list[Plan]


class Subscription(TypedDict):
    id: str
    planId: str
    status: Literal['incomplete', 'active', 'past_due', 'unpaid', 'canceled']
    currentPeriodStart: str
    currentPeriodEnd: str


class Subscribed(TypedDict):
    subscription: Subscription


class Subscription1(TypedDict):
    id: str
    planId: str
    scheduledPlanId: NotRequired[str]
    status: Literal['incomplete', 'active', 'past_due', 'unpaid', 'canceled']
    currentPeriodEnd: str


class Proration(TypedDict):
    amount: int
    currency: str
    description: str


class ChangedPlan(TypedDict):
    subscription: Subscription1
    proration: NotRequired[Proration]
    message: str


class Subscription2(TypedDict):
    id: str
    status: Literal['incomplete', 'active', 'past_due', 'unpaid', 'canceled']
    cancelAtPeriodEnd: bool
    currentPeriodEnd: str


class CanceledSubscription(TypedDict):
    subscription: Subscription2
    message: str


class PaymentMethod(TypedDict):
    type: str
    last4: str
    brand: str
    expiresMonth: int
    expiresYear: int


class Subscription3(TypedDict):
    status: Literal['incomplete', 'active', 'past_due', 'unpaid', 'canceled']
    currentPeriodStart: str
    currentPeriodEnd: str
    cancelAtPeriodEnd: bool


class BillingInfo(TypedDict):
    plan: Plan
    subscription: Subscription3 | None
    paymentMethod: PaymentMethod | None


class Refund(TypedDict):
    id: str
    amount: int
    currency: str
    reason: str
    status: Literal['pending', 'succeeded', 'failed']
    createdAt: str


class Invoice(TypedDict):
    id: str
    number: str
    status: Literal['draft', 'open', 'paid', 'uncollectible', 'void']
    amount: int
    currency: str
    periodStart: str
    periodEnd: str
    paidAt: str | None
    pdfUrl: str
    companyName: str | None
    taxId: str | None
    amountRefunded: int
    refunds: list[Refund]


class InvoiceList(TypedDict):
    data: list[Invoice]
    pagination: Pagination


class BillingProfile(TypedDict):
    companyName: str | None
    taxId: str | None


class SpendLimit(TypedDict):
    amount: int | None
    currency: str
    spent: int


class Period(TypedDict):
    start: str
    end: str


class Usage1(TypedDict):
    minutesProcessed: int
    minutesIncluded: int
    minutesOverage: int
    jobsCompleted: int
    jobsFailed: int
    jobsCanceled: int
    storageUsedBytes: int


class Cost(TypedDict):
    basePlan: int
    overage: int
    total: int
    currency: str


class Usage(TypedDict):
    period: Period
    usage: Usage1
    cost: Cost


class SandboxClock(TypedDict):
    now: str


class WebhookSecret(TypedDict):
    secret: str


class Attempt(TypedDict):
    at: str
    statusCode: int | None
    error: str | None


class Delivery(TypedDict):
    id: str
    type: str
    url: str
    status: Literal['pending', 'delivered', 'failed']
    attempts: list[Attempt]
    nextAttemptAt: str | None
    createdAt: str


class DeliveryList(TypedDict):
    data: list[Delivery]
    pagination: Pagination


class WebhookEndpoint(TypedDict):
    url: str
    events: list[Literal['split.processing', 'split.completed', 'split.failed', 'export.completed', 'export.failed', 'usage.threshold']]
    createdAt: str
    updatedAt: str


class Upload(TypedDict):
    uploadUrl: str
    sourceUrl: str
    expiresAt: str


class Alive(TypedDict):
    status: Literal['ok']


class Acceptance(TypedDict):
    status: Literal['accepting', 'draining']


class Dependencies(TypedDict):
    limiter: Literal['ok', 'failing']
    store: Literal['ok', 'failing']
    auth: Literal['ok', 'failing']


class Readiness(TypedDict):
    status: Literal['ready', 'draining', 'failing']
    dependencies: Dependencies


class Data(TypedDict):
    id: str
    batchId: NotRequired[str]
    status: Literal['processing']
    splitMode: Literal['duration', 'fileSize', 'silence', 'chapters', 'ranges', 'parts']
    segmentDuration: NotRequired[int]
    maxFileSize: NotRequired[int]
    parts: NotRequired[int]
    maxDuration: NotRequired[float]
    overlap: NotRequired[float]
    audioTrack: NotRequired[int]
    outputFormat: NotRequired[Literal['mp3', 'wav', 'flac', 'ogg', 'aac']]
    sourceFileName: NotRequired[str]
    segmentCount: int | None
    createdAt: str
    completedAt: str | None
    dryRun: NotRequired[Literal[True]]
    metadata: NotRequired[dict[str, Any]]


class SplitProcessing(TypedDict):
    type: Literal['split.processing']
    timestamp: str
    data: Data


class Data1(TypedDict):
    id: str
    batchId: NotRequired[str]
    status: Literal['completed']
    splitMode: Literal['duration', 'fileSize', 'silence', 'chapters', 'ranges', 'parts']
    segmentDuration: NotRequired[int]
    maxFileSize: NotRequired[int]
    parts: NotRequired[int]
    maxDuration: NotRequired[float]
    overlap: NotRequired[float]
    audioTrack: NotRequired[int]
    outputFormat: NotRequired[Literal['mp3', 'wav', 'flac', 'ogg', 'aac']]
    sourceFileName: NotRequired[str]
    segmentCount: int | None
    createdAt: str
    completedAt: str | None
    dryRun: NotRequired[Literal[True]]
    metadata: NotRequired[dict[str, Any]]


class SplitCompleted(TypedDict):
    type: Literal['split.completed']
    timestamp: str
    data: Data1


class Data2(TypedDict):
    id: str
    batchId: NotRequired[str]
    status: Literal['failed']
    splitMode: Literal['duration', 'fileSize', 'silence', 'chapters', 'ranges', 'parts']
    segmentDuration: NotRequired[int]
    maxFileSize: NotRequired[int]
    parts: NotRequired[int]
    maxDuration: NotRequired[float]
    overlap: NotRequired[float]
    audioTrack: NotRequired[int]
    outputFormat: NotRequired[Literal['mp3', 'wav', 'flac', 'ogg', 'aac']]
    sourceFileName: NotRequired[str]
    segmentCount: int | None
    createdAt: str
    completedAt: str | None
    dryRun: NotRequired[Literal[True]]
    failedAt: NotRequired[str]
    error: Error
    metadata: NotRequired[dict[str, Any]]


class SplitFailed(TypedDict):
    type: Literal['split.failed']
    timestamp: str
    data: Data2


class Data3(TypedDict):
    exportId: str
    status: Literal['completed']
    format: Literal['json', 'csv']
    expiresAt: str | None


class ExportCompleted(TypedDict):
    type: Literal['export.completed']
    timestamp: str
    data: Data3


class Data4(TypedDict):
    exportId: str
    status: Literal['failed']
    format: Literal['json', 'csv']
    expiresAt: str | None


class ExportFailed(TypedDict):
    type: Literal['export.failed']
    timestamp: str
    data: Data4


class Data5(TypedDict):
    metric: Literal['minutes', 'spend']
    percent: Literal[80] | Literal[100]
    used: int
    limit: int
    periodStart: str
    periodEnd: str


class UsageThreshold(TypedDict):
    type: Literal['usage.threshold']
    timestamp: str
    data: Data5


class Ping(TypedDict):
    type: Literal['ping']
    timestamp: str
    data: dict[str, Any]


class QueuedJob(TypedDict):
    id: str
    batchId: NotRequired[str]
    status: Literal['queued']
    phase: Literal['waiting']
    sourceUrl: str
    sourceHeaderNames: NotRequired[list[str]]
    splitMode: Literal['duration', 'fileSize', 'silence', 'chapters', 'ranges', 'parts']
    segmentDuration: NotRequired[int]
    maxFileSize: NotRequired[int]
    silence: NotRequired[SilenceOptions]
    chapters: NotRequired[list[Chapter]]
    ranges: NotRequired[list[Range]]
    splitPoints: NotRequired[list[float]]
    parts: NotRequired[int]
    maxDuration: NotRequired[float]
    snapToSilence: NotRequired[SnapToSilence]
    overlap: NotRequired[float]
    trim: NotRequired[Trim]
    audioTrack: NotRequired[int | str]
    encoding: NotRequired[Encoding]
    preset: NotRequired[Literal['speech']]
    fileName: NotRequired[str]
    dryRun: NotRequired[bool]
    destination: NotRequired[Destination]
    keepCopy: NotRequired[bool]
    outputFormat: NotRequired[Literal['mp3', 'wav', 'flac', 'ogg', 'aac']]
    webhookUrl: NotRequired[str]
    metadata: NotRequired[dict[str, Any]]
    createdAt: str


class ProcessingJob(TypedDict):
    id: str
    batchId: NotRequired[str]
    status: Literal['processing']
    progress: int
    phase: Literal['fetching', 'cutting', 'storing']
    fetching: NotRequired[Fetching]
    sourceUrl: str
    sourceHeaderNames: NotRequired[list[str]]
    splitMode: Literal['duration', 'fileSize', 'silence', 'chapters', 'ranges', 'parts']
    segmentDuration: NotRequired[int]
    maxFileSize: NotRequired[int]
    silence: NotRequired[SilenceOptions]
    chapters: NotRequired[list[Chapter]]
    ranges: NotRequired[list[Range]]
    splitPoints: NotRequired[list[float]]
    parts: NotRequired[int]
    maxDuration: NotRequired[float]
    snapToSilence: NotRequired[SnapToSilence]
    overlap: NotRequired[float]
    trim: NotRequired[Trim]
    audioTrack: NotRequired[int | str]
    encoding: NotRequired[Encoding]
    preset: NotRequired[Literal['speech']]
    fileName: NotRequired[str]
    dryRun: NotRequired[bool]
    destination: NotRequired[Destination]
    keepCopy: NotRequired[bool]
    createdAt: str


class CompletedJob(TypedDict):
    id: str
    batchId: NotRequired[str]
    status: Literal['completed']
    sourceUrl: str
    sourceHeaderNames: NotRequired[list[str]]
    splitMode: Literal['duration', 'fileSize', 'silence', 'chapters', 'ranges', 'parts']
    segmentDuration: NotRequired[int]
    maxFileSize: NotRequired[int]
    silence: NotRequired[SilenceOptions]
    chapters: NotRequired[list[Chapter]]
    ranges: NotRequired[list[Range]]
    splitPoints: NotRequired[list[float]]
    parts: NotRequired[int]
    maxDuration: NotRequired[float]
    snapToSilence: NotRequired[SnapToSilence]
    overlap: NotRequired[float]
    trim: NotRequired[Trim]
    audioTrack: NotRequired[int | str]
    encoding: NotRequired[Encoding]
    preset: NotRequired[Literal['speech']]
    fileName: NotRequired[str]
    dryRun: NotRequired[bool]
    destination: NotRequired[Destination]
    keepCopy: NotRequired[bool]
    outputFormat: NotRequired[Literal['mp3', 'wav', 'flac', 'ogg', 'aac']]
    sourceFileName: NotRequired[str]
    sourceDuration: NotRequired[int]
    sourceDurationIsEstimate: NotRequired[bool]
    sourceSize: NotRequired[int]
    segments: list[Segment]
    loudness: NotRequired[Loudness]
    segmentsExpiredAt: NotRequired[str]
    metadata: NotRequired[dict[str, Any]]
    createdAt: str
    completedAt: str


class FailedJob(TypedDict):
    id: str
    batchId: NotRequired[str]
    status: Literal['failed']
    sourceUrl: str
    sourceHeaderNames: NotRequired[list[str]]
    splitMode: Literal['duration', 'fileSize', 'silence', 'chapters', 'ranges', 'parts']
    segmentDuration: NotRequired[int]
    maxFileSize: NotRequired[int]
    silence: NotRequired[SilenceOptions]
    chapters: NotRequired[list[Chapter]]
    ranges: NotRequired[list[Range]]
    splitPoints: NotRequired[list[float]]
    parts: NotRequired[int]
    maxDuration: NotRequired[float]
    snapToSilence: NotRequired[SnapToSilence]
    overlap: NotRequired[float]
    trim: NotRequired[Trim]
    audioTrack: NotRequired[int | str]
    encoding: NotRequired[Encoding]
    preset: NotRequired[Literal['speech']]
    fileName: NotRequired[str]
    dryRun: NotRequired[bool]
    destination: NotRequired[Destination]
    keepCopy: NotRequired[bool]
    outputFormat: NotRequired[Literal['mp3', 'wav', 'flac', 'ogg', 'aac']]
    webhookUrl: NotRequired[str]
    metadata: NotRequired[dict[str, Any]]
    error: Error
    createdAt: str
    completedAt: None
    failedAt: NotRequired[str]
