/** The tables of an export. Columns have the names of the public API where it has them. */
import type { GetBillingInfoResponse } from '@audiosplit/proto/billing/v1/billing';
import { jobStatuses, outputFormats, splitModes } from '@audiosplit/proto/enum-words';
import type { Job } from '@audiosplit/proto/jobs/v1/jobs';
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
    table('jobs', () => data.jobs(), JOB_COLUMNS),
    table('segments', () => each(data.jobs(), segmentsOf), {
      jobId: ({ jobId }) => jobId,
      index: ({ segment }) => segment.index,
      fileName: ({ segment }) => segment.fileName,
      contentType: ({ segment }) => segment.contentType,
      startTime: ({ segment }) => seconds(segment.startMs),
      duration: ({ segment }) => seconds(segment.durationMs),
      size: ({ segment }) => Number(segment.sizeBytes),
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
      file: (invoice) => invoicePath(invoice.number),
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

const JOB_COLUMNS: Columns<Job> = {
  id: (job) => job.id,
  status: (job) => jobStatuses.toWord(job.status) ?? '',
  sourceUrl: (job) => job.request?.sourceUrl,
  splitMode: (job) => (job.request && splitModes.toWord(job.request.mode)) ?? '',
  segmentDuration: (job) => job.request?.segmentDurationSeconds,
  maxFileSize: (job) => numberOf(job.request?.maxFileSizeBytes),
  outputFormat: (job) => job.request && outputFormats.toWord(job.request.outputFormat),
  webhookUrl: (job) => job.webhookUrl,
  metadata: (job) => (job.metadataJson === undefined ? undefined : new JsonText(job.metadataJson)),
  sourceFileName: (job) => job.sourceFileName,
  sourceDuration: (job) => (job.sourceDurationMs === undefined ? undefined : seconds(job.sourceDurationMs)),
  sourceSize: (job) => numberOf(job.sourceSizeBytes),
  segmentCount: (job) => job.segmentCount,
  errorCode: (job) => job.error?.code,
  errorMessage: (job) => job.error?.message,
  createdAt: (job) => time(job.createdAt),
  completedAt: (job) => time(job.completedAt),
  failedAt: (job) => time(job.failedAt),
  segmentsExpiredAt: (job) => time(job.segmentsExpiredAt),
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
