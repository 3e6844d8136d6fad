/** The tables of an export. Columns are named as in the public API where it has them. */
import type { GetBillingInfoResponse } from '@audiosplit/proto/billing/v1/billing';
import { CUT_FIELD_NAMES, toCutFields } from '@audiosplit/proto/cut';
import { jobStatuses, outputFormats } from '@audiosplit/proto/enum-words';
import { type Job, type Segment, SegmentSchema } from '@audiosplit/proto/jobs/v1/jobs';
import { readCut } from '@audiosplit/proto/previous-cut';
import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';
import type { Account } from '../account.ts';
import type { AccountData } from './account-data.ts';
import { type Cell, JsonText, type Row, type Table } from './table.ts';

type Columns<T> = Readonly<Record<string, (item: T) => Cell>>;

export function accountTables(account: Account, data: AccountData): readonly Table[] {
  return [
    table('account', one(account), {
      id: ({ id }) => id,
      email: ({ email }) => email,
      name: ({ name }) => name,
      createdAt: ({ createdAt }) => createdAt,
    }),
    table('api-keys', () => data.apiKeys(), {
      id: (key) => key.id,
      name: (key) => key.name,
      keyPreview: (key) => key.keyPreview,
      scopes: (key) => new JsonText(JSON.stringify(key.scopes)),
      createdAt: (key) => time(key.createdAt),
      updatedAt: (key) => time(key.updatedAt),
      lastUsedAt: (key) => time(key.lastUsedAt),
      expiresAt: (key) => time(key.expiresAt),
    }),
    table('sessions', () => data.sessions(), {
      id: (session) => session.id,
      createdAt: (session) => time(session.createdAt),
      lastUsedAt: (session) => time(session.lastUsedAt),
      address: (session) => session.address,
      userAgent: (session) => session.userAgent,
    }),
    table('jobs', () => data.jobs(), JOB_COLUMNS),
    table('segments', () => each(data.jobs(), segmentsOf), {
      jobId: ({ jobId }) => jobId,
      ...SEGMENT_COLUMNS,
      ...END_TIME,
    }),
    table('billing', () => later(data.billingInfo()), BILLING_COLUMNS),
    table('usage', () => data.usage(), {
      periodStart: (usage) => time(usage.periodStart),
      periodEnd: (usage) => time(usage.periodEnd),
      minutesProcessed: (usage) => Number(usage.minutesProcessed),
      minutesIncluded: (usage) => Number(usage.minutesIncluded),
      minutesOverage: (usage) => Number(usage.minutesOverage),
      jobsCompleted: (usage) => Number(usage.jobsCompleted),
      jobsFailed: (usage) => Number(usage.jobsFailed),
      jobsCanceled: (usage) => Number(usage.jobsCanceled),
      basePlan: (usage) => Number(usage.basePlanCents),
      overage: (usage) => Number(usage.overageCents),
      total: (usage) => Number(usage.totalCents),
      currency: (usage) => usage.currency,
    }),
    table('invoices', () => data.invoices(), {
      id: (invoice) => invoice.id,
      number: (invoice) => invoice.number,
      status: (invoice) => invoice.status,
      amount: (invoice) => Number(invoice.amountCents),
      currency: (invoice) => invoice.currency,
      periodStart: (invoice) => time(invoice.periodStart),
      periodEnd: (invoice) => time(invoice.periodEnd),
      paidAt: (invoice) => time(invoice.paidAt),
      companyName: (invoice) => invoice.companyName,
      taxId: (invoice) => invoice.taxId,
      file: (invoice) => invoicePath(invoice.number),
    }),
    table(
      'refunds',
      () => each(data.invoices(), (invoice) => invoice.refunds.map((refund) => ({ invoice, refund }))),
      {
        id: ({ refund }) => refund.id,
        invoiceId: ({ invoice }) => invoice.id,
        amount: ({ refund }) => Number(refund.amountCents),
        currency: ({ invoice }) => invoice.currency,
        reason: ({ refund }) => refund.reason,
        status: ({ refund }) => refund.status,
        createdAt: ({ refund }) => time(refund.createdAt),
      },
    ),
    table('webhook-endpoint', () => data.webhookEndpoint(), {
      url: (endpoint) => endpoint.url,
      events: (endpoint) => new JsonText(JSON.stringify(endpoint.events)),
      createdAt: (endpoint) => time(endpoint.createdAt),
      updatedAt: (endpoint) => time(endpoint.updatedAt),
    }),
    table('connections', () => data.connections(), {
      id: ({ id }) => id,
      name: ({ name }) => name,
      endpoint: ({ endpoint }) => endpoint,
      region: ({ region }) => region,
      bucket: ({ bucket }) => bucket,
      prefix: ({ prefix }) => prefix,
      accessKeyId: ({ accessKeyId }) => accessKeyId,
      createdAt: ({ createdAt }) => time(createdAt),
    }),
    table('presets', () => data.presets(), {
      id: ({ id }) => id,
      name: ({ name }) => name,
      request: ({ request }) => new JsonText(request),
      createdAt: ({ createdAt }) => createdAt,
      updatedAt: ({ updatedAt }) => updatedAt,
    }),
    table('webhook-deliveries', () => data.deliveries(), {
      id: (delivery) => delivery.id,
      type: (delivery) => delivery.type,
      url: (delivery) => delivery.url,
      status: (delivery) => delivery.status,
      createdAt: (delivery) => time(delivery.createdAt),
      nextAttemptAt: (delivery) => time(delivery.nextAttemptAt),
      body: (delivery) => (delivery.body === undefined ? undefined : new JsonText(delivery.body)),
    }),
    table(
      'webhook-attempts',
      () => each(data.deliveries(), ({ id, attempts }) => attempts.map((attempt) => ({ id, attempt }))),
      {
        deliveryId: ({ id }) => id,
        at: ({ attempt }) => time(attempt.at),
        statusCode: ({ attempt }) => attempt.statusCode,
        error: ({ attempt }) => attempt.error,
      },
    ),
  ];
}

/** The path of an invoice's PDF in the archive. */
export function invoicePath(number: string): string {
  return `invoices/${number}.pdf`;
}

/** Where the API's name differs from the contract's. */
const SEGMENT_NAMES: Readonly<Record<string, string>> = { startMs: 'startTime', endKind: 'cut' };

/** Every field of a segment except its place in the object store. Durations are in seconds. */
const SEGMENT_COLUMNS: Columns<{ readonly segment: Segment }> = Object.fromEntries(
  SegmentSchema.fields
    .filter(({ name }) => name !== 'object_key')
    .map(({ localName }) => [
      SEGMENT_NAMES[localName] ?? localName.replace(/(Ms|Bytes)$/, ''),
      ({ segment }) => {
        const value = segment[localName as 'index' | 'fileName' | 'startMs' | 'sizeIsEstimate'];
        if (typeof value !== 'bigint') return value;
        return localName.endsWith('Ms') ? seconds(value) : Number(value);
      },
    ]),
);

const END_TIME: Columns<{ readonly segment: Segment }> = {
  endTime: ({ segment }) => seconds(segment.startMs + segment.durationMs),
};

const CUT_COLUMNS: Columns<Job> = Object.fromEntries(
  ['splitMode', ...CUT_FIELD_NAMES].map((name) => [
    name,
    ({ request }) => {
      const value = request && toCutFields(readCut(request))?.[name];
      return typeof value === 'object' ? new JsonText(JSON.stringify(value)) : value;
    },
  ]),
);

const JOB_COLUMNS: Columns<Job> = {
  id: (job) => job.id,
  status: (job) => jobStatuses.toWord(job.status) ?? '',
  sourceUrl: (job) => job.request?.sourceUrl,
  ...CUT_COLUMNS,
  outputFormat: (job) => job.request && outputFormats.toWord(job.request.outputFormat),
  webhookUrl: (job) => job.webhookUrl,
  metadata: (job) => (job.metadataJson === undefined ? undefined : new JsonText(job.metadataJson)),
  sourceFileName: (job) => job.sourceFileName,
  sourceDuration: (job) => (job.sourceDurationMs === undefined ? undefined : seconds(job.sourceDurationMs)),
  sourceSize: (job) => numberOf(job.sourceSizeBytes),
  loudness: ({ loudness }) =>
    loudness &&
    new JsonText(
      JSON.stringify({
        measured: loudness.measuredLufs ?? null,
        gain: loudness.gainDb,
        truePeak: loudness.truePeakDbtp ?? null,
      }),
    ),
  segmentCount: (job) => job.segmentCount,
  errorCode: (job) => job.error?.code,
  errorMessage: (job) => job.error?.message,
  createdAt: (job) => time(job.createdAt),
  completedAt: (job) => time(job.completedAt),
  failedAt: (job) => time(job.failedAt),
  segmentsExpiredAt: (job) => time(job.segmentsExpiredAt),
  sourceHeaderNames: (job) => job.request?.sourceHeaderNames.join(' ') || undefined,
  batchId: (job) => job.batchId,
  sourceDurationIsEstimate: (job) => job.sourceDurationIsEstimate,
};

const BILLING_COLUMNS: Columns<GetBillingInfoResponse> = {
  planId: ({ plan }) => plan?.id,
  subscriptionId: ({ subscription }) => subscription?.id,
  subscriptionStatus: ({ subscription }) => subscription?.status,
  currentPeriodStart: ({ subscription }) => time(subscription?.currentPeriodStart),
  currentPeriodEnd: ({ subscription }) => time(subscription?.currentPeriodEnd),
  cancelAtPeriodEnd: ({ subscription }) => subscription?.cancelAtPeriodEnd,
  cardBrand: ({ paymentMethod }) => paymentMethod?.brand,
  cardLast4: ({ paymentMethod }) => paymentMethod?.last4,
  cardExpiresMonth: ({ paymentMethod }) => paymentMethod?.expiresMonth,
  cardExpiresYear: ({ paymentMethod }) => paymentMethod?.expiresYear,
  companyName: ({ profile }) => profile?.companyName,
  taxId: ({ profile }) => profile?.taxId,
};

function table<T>(name: string, read: () => AsyncIterable<readonly T[]>, columns: Columns<T>): Table {
  const cells = Object.values(columns);
  const toRow = (item: T): Row => cells.map((cell) => cell(item));
  return {
    name,
    columns: Object.keys(columns),
    async *pages() {
      for await (const page of read()) yield page.map(toRow);
    },
  };
}

function segmentsOf({ id, segments }: Job) {
  return segments.map((segment) => ({ jobId: id, segment }));
}

async function* each<T, U>(
  pages: AsyncIterable<readonly T[]>,
  parts: (item: T) => readonly U[],
): AsyncGenerator<readonly U[]> {
  for await (const page of pages) yield page.flatMap(parts);
}

function one<T>(item: T): () => AsyncIterable<readonly T[]> {
  return () => later(Promise.resolve(item));
}

async function* later<T>(item: Promise<T>): AsyncGenerator<readonly T[]> {
  yield [await item];
}

function time(timestamp: Timestamp | undefined): Date | undefined {
  return timestamp && timestampDate(timestamp);
}

function seconds(ms: bigint): number {
  return Number(ms) / 1000;
}

function numberOf(value: bigint | undefined): number | undefined {
  return value === undefined ? undefined : Number(value);
}
