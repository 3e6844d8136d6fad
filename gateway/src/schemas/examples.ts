/**
 * One example for every component of the API description, or several. A test requires them all, and the linter checks each
 * against its schema.
 */

import { CONNECTION_EXAMPLES } from './connection-examples.ts';
import { invoice, LINK, PERIOD, profile, refund } from './invoice-examples.ts';
import { CREATED, FINISHED, JOB, JOB_EXAMPLES, SHOWN_SOURCE } from './job-examples.ts';
import { CUT_EXAMPLE } from './split-modes.ts';

const KEY = 'key_01jq8z5c7mexample0000000000';
const EXPORT = 'exp_01jq8z5c7mexample0000000000';
const SUBSCRIPTION = 'sub_01jq8z5c7mexample0000000000';
const DIGEST = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';

const pagination = { page: 1, limit: 20, total: 1, totalPages: 1 };
const listOf = (row: unknown) => ({ data: [row], pagination });

export const requestFields = {
  ...CUT_EXAMPLE,
  outputFormat: 'mp3',
  webhookUrl: 'https://example.org/hooks/audio',
  metadata: { episode: 7 },
};
const jobRow = {
  id: JOB,
  status: 'completed',
  ...CUT_EXAMPLE,
  outputFormat: 'mp3',
  sourceFileName: 'episode-7.mp3',
  segmentCount: 6,
  createdAt: CREATED,
  completedAt: FINISHED,
};
const { sourceFileName: _, ...rowBefore } = jobRow;
const unfinishedRow = { ...rowBefore, segmentCount: null, completedAt: null };
const jobError = { code: 'SOURCE_UNREACHABLE', message: 'The source answered with status 404.' };

const key = {
  id: KEY,
  name: 'Podcast pipeline',
  scopes: ['splits:read', 'splits:write'],
  createdAt: CREATED,
  expiresAt: null,
};
const keyRead = { ...key, keyPreview: 'ask_live_a1b2…wxyz', lastUsedAt: FINISHED, updatedAt: CREATED };

const account = {
  id: 'acc_01jq8z5c7mexample0000000000',
  email: 'ada@example.org',
  name: 'Ada',
  createdAt: CREATED,
};
const signedInSession = {
  id: 'ses_01jq8z5c7mexample0000000000',
  createdAt: CREATED,
  lastUsedAt: FINISHED,
  address: '192.0.2.9',
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  current: true,
};
const finishedExport = {
  exportId: EXPORT,
  status: 'completed',
  format: 'json',
  createdAt: CREATED,
  estimatedCompletionAt: '2027-03-14T09:35:00.000Z',
  downloadUrl: `${LINK}/exports/${EXPORT}.zip?expires=1805103072&signature=c2lnbmF0dXJl`,
  expiresAt: '2027-03-21T09:31:12.000Z',
  sizeBytes: 48_213,
  sha256: DIGEST,
};

const plan = {
  id: 'plan_pro',
  name: 'Pro',
  monthlyMinutes: 5_000,
  maxFileSize: 2_147_483_648,
  maxOutputBytes: 26_843_545_600,
  pricePerMonth: 4_900,
  currency: 'usd',
  concurrentJobs: 20,
  requestsPerMinute: 300,
  overageMillicentsPerMinute: 1_000,
};
const card = { type: 'card', last4: '4242', brand: 'visa', expiresMonth: 12, expiresYear: 2030 };

const delivery = {
  id: 'dlv_01jq8z5c7mexample0000000000',
  type: 'split.completed',
  url: 'https://example.org/hooks/audio',
  status: 'delivered',
  attempts: [{ at: FINISHED, statusCode: 204, error: null }],
  nextAttemptAt: null,
  createdAt: FINISHED,
};

const exportEnd = { exportId: EXPORT, format: 'json' };

export const endpoint = {
  url: 'https://example.org/hooks/audio',
  events: ['split.completed', 'split.failed'],
};

export const savedPreset = {
  name: 'Interviews',
  request: { splitMode: 'silence', silence: { minSilence: 0.8 }, maxDuration: 900, outputFormat: 'mp3' },
};
const batch = {
  id: 'bat_01jq8z5c7mexample0000000000',
  createdAt: CREATED,
  total: 1,
  queued: 1,
  processing: 0,
  completed: 0,
  failed: 0,
  canceled: 0,
};
const preset = {
  id: 'pre_01jq8z5c7mexample0000000000',
  ...savedPreset,
  createdAt: CREATED,
  updatedAt: CREATED,
};

const ONE_EXAMPLE: Readonly<Record<string, unknown>> = {
  Security: {
    email: 'ada@example.org',
    emailVerified: true,
    pendingEmail: 'ada@example.com',
    mustVerifyEmail: false,
  },
  SecondFactorSecret: {
    secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
    uri: 'otpauth://totp/audiosplit:ada%40example.org?issuer=audiosplit&secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&algorithm=SHA1&digits=6&period=30',
  },
  RecoveryCodes: { recoveryCodes: ['MFRG-GZDF-MZTW-Q2LK', 'NNWG-2ZTP-OBYX-E43U'] },
  SignedInSession: signedInSession,
  SessionList: { data: [signedInSession] },
  Error: {
    error: {
      code: 'INVALID_PARAMS',
      message: 'segmentDuration: must be at least 1',
      status: 400,
      details: [{ field: 'segmentDuration', message: 'must be at least 1' }],
    },
  },
  Pagination: pagination,
  Session: {
    account,
    accessToken: 'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJhY2NfMDFqcTh6In0.c2lnbmF0dXJl',
    refreshToken: 'the-refresh-token-as-it-was-given',
    tokenType: 'Bearer',
    expiresIn: 3_600,
  },
  JsonWebKeySet: {
    keys: [{ kty: 'OKP', crv: 'Ed25519', use: 'sig', alg: 'EdDSA', kid: '2027-03', x: 'cHVibGljIGtleQ' }],
  },
  CreatedApiKey: { ...key, key: 'ask_live_the-secret-as-it-is-shown-once' },
  ApiKey: keyRead,
  ApiKeyList: listOf(keyRead),
  Batch: batch,
  CreatedBatch: {
    ...batch,
    jobs: [{ index: 0, jobId: JOB }],
    refused: [{ index: 1, message: 'must be a URL that begins with http:// or https://' }],
  },
  ...CONNECTION_EXAMPLES,
  SplitSettings: savedPreset.request,
  Preset: preset,
  PresetList: {
    data: [preset],
    builtIn: [
      {
        id: 'podcast-chapters',
        name: 'Podcast chapters',
        request: { splitMode: 'chapters', fileName: '{number} {title}' },
      },
    ],
  },
  Waveform: {
    version: 2,
    channels: 1,
    sample_rate: 44_100,
    samples_per_pixel: 882_000,
    bits: 8,
    length: 3,
    data: [-61, 58, -82, 79, 0, 0],
  },
  PendingWaveform: { status: 'processing' },
  FoundJobs: { data: [jobRow], nextPageToken: `2027-03-14 09:30:00+00|${JOB}`, lookedBackTo: CREATED },
  QueuedJob: {
    id: JOB,
    status: 'queued',
    phase: 'waiting',
    sourceUrl: SHOWN_SOURCE,
    ...requestFields,
    createdAt: CREATED,
  },
  ProcessingJob: {
    id: JOB,
    status: 'processing',
    progress: 40,
    phase: 'cutting',
    sourceUrl: SHOWN_SOURCE,
    ...CUT_EXAMPLE,
    createdAt: CREATED,
  },
  FailedJob: {
    id: JOB,
    status: 'failed',
    sourceUrl: SHOWN_SOURCE,
    ...requestFields,
    error: jobError,
    createdAt: CREATED,
    completedAt: null,
    failedAt: FINISHED,
  },
  SilenceOptions: { threshold: 'auto', minSilence: 0.7, minDuration: 5 },
  Chapter: { startTime: 750, title: 'The interview' },
  Range: { start: 60, end: 150.5, title: 'Teaser' },
  SnapToSilence: { window: 10, threshold: -45, minSilence: 0.3 },
  Trim: { start: 15, end: 1_800 },
  Encoding: { sampleRate: 44_100, channels: 1, bitrate: 64_000, loudness: { target: -16 } },
  JobRow: jobRow,
  JobList: listOf(jobRow),
  Account: account,
  DeletionScheduled: {
    message: 'The account is going to be deleted. Restore it within 14 days to keep it.',
    deletionScheduledAt: '2027-04-13T09:30:00.000Z',
  },
  StartedExport: {
    exportId: EXPORT,
    status: 'processing',
    format: 'json',
    estimatedCompletionAt: '2027-03-14T09:35:00.000Z',
    message: 'The export is being made.',
  },
  Export: finishedExport,
  ExportList: listOf(finishedExport),
  Plan: plan,
  PlanList: { data: [plan] },
  Subscribed: { subscription: { id: SUBSCRIPTION, planId: 'plan_pro', status: 'active', ...PERIOD } },
  ChangedPlan: {
    subscription: {
      id: SUBSCRIPTION,
      planId: 'plan_pro',
      status: 'active',
      currentPeriodEnd: PERIOD.currentPeriodEnd,
    },
    proration: { amount: 2_000, currency: 'usd', description: 'Pro for the rest of the period' },
    message: 'The plan was changed.',
  },
  CanceledSubscription: {
    subscription: {
      id: SUBSCRIPTION,
      status: 'active',
      cancelAtPeriodEnd: true,
      currentPeriodEnd: PERIOD.currentPeriodEnd,
    },
    message: 'The subscription ends with the running period.',
  },
  PaymentMethod: card,
  BillingInfo: {
    plan,
    subscription: { status: 'active', ...PERIOD, cancelAtPeriodEnd: false },
    paymentMethod: card,
  },
  Invoice: invoice,
  Refund: refund,
  InvoiceList: listOf(invoice),
  BillingProfile: profile,
  SpendLimit: { amount: 49_000, currency: 'usd', spent: 96 },
  Usage: {
    period: { start: PERIOD.currentPeriodStart, end: PERIOD.currentPeriodEnd },
    usage: {
      minutesProcessed: 5_120,
      minutesIncluded: 5_000,
      minutesOverage: 120,
      jobsCompleted: 85,
      jobsFailed: 2,
      jobsCanceled: 1,
      storageUsedBytes: 812_000_000,
    },
    cost: { basePlan: 4_900, overage: 96, total: 4_996, currency: 'usd' },
  },
  SandboxClock: { now: '2027-05-01T00:00:00.000Z' },
  WebhookSecret: { secret: 'whsec_dGhlIHNlY3JldCBvZiB0aGlzIGFjY291bnQ=' },
  WebhookEndpoint: { ...endpoint, createdAt: CREATED, updatedAt: FINISHED },
  Delivery: delivery,
  DeliveryList: listOf(delivery),
  Upload: {
    uploadUrl:
      'https://audio.example.org/uploads/up_01jq8z5c7m/episode-7.mp3?expires=1805103072&signature=c2ln',
    sourceUrl:
      'https://audio.example.org/uploads/up_01jq8z5c7m/episode-7.mp3?expires=1805103072&signature=bmF0',
    expiresAt: '2027-03-15T09:30:00.000Z',
  },
  Alive: { status: 'ok' },
  Acceptance: { status: 'accepting' },
  Readiness: { status: 'ready', dependencies: { limiter: 'ok', store: 'ok', auth: 'ok' } },
  SplitProcessing: {
    type: 'split.processing',
    timestamp: CREATED,
    data: { ...unfinishedRow, status: 'processing', metadata: { episode: 7 } },
  },
  SplitCompleted: {
    type: 'split.completed',
    timestamp: FINISHED,
    data: { ...jobRow, metadata: { episode: 7 } },
  },
  SplitFailed: {
    type: 'split.failed',
    timestamp: FINISHED,
    data: {
      ...unfinishedRow,
      status: 'failed',
      failedAt: FINISHED,
      error: jobError,
      metadata: { episode: 7 },
    },
  },
  ExportCompleted: {
    type: 'export.completed',
    timestamp: FINISHED,
    data: { ...exportEnd, status: 'completed', expiresAt: '2027-03-21T09:31:12.000Z' },
  },
  ExportFailed: {
    type: 'export.failed',
    timestamp: FINISHED,
    data: { ...exportEnd, status: 'failed', expiresAt: null },
  },
  UsageThreshold: {
    type: 'usage.threshold',
    timestamp: FINISHED,
    data: {
      metric: 'minutes',
      percent: 80,
      used: 4_000,
      limit: 5_000,
      periodStart: PERIOD.currentPeriodStart,
      periodEnd: PERIOD.currentPeriodEnd,
    },
  },
  Ping: { type: 'ping', timestamp: CREATED, data: {} },
};

export const COMPONENT_EXAMPLES: Readonly<Record<string, readonly unknown[]>> = {
  ...Object.fromEntries(Object.entries(ONE_EXAMPLE).map(([name, example]) => [name, [example]])),
  ...JOB_EXAMPLES,
};
