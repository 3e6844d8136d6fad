/** The notifications that the webhooks service sends to callers. */
import type { NotificationType } from '@audiosplit/proto/vocabulary';
import { type TSchema, Type } from 'typebox';
import { exportFormat } from './account.ts';
import { nullableTimestamp, oneOf, timestamp } from './fields.ts';
import { JobErrorBody, JobRow, metadata } from './splits.ts';

const happenedAt = timestamp('When it took place. Notifications may arrive late, twice and out of order.');

function splitNotification(status: 'processing' | 'completed' | 'failed', $id: string) {
  const { error: _, failedAt, ...row } = JobRow.properties;
  return Type.Object(
    {
      type: Type.Literal(`split.${status}`),
      timestamp: happenedAt,
      data: Type.Object({
        ...row,
        status: Type.Literal(status),
        dryRun: Type.Optional(Type.Literal(true, { description: 'The job is a dry run.' })),
        ...(status === 'failed' ? { failedAt, error: JobErrorBody } : {}),
        metadata: Type.Optional(metadata),
      }),
    },
    { $id },
  );
}

function exportNotification(status: 'completed' | 'failed', $id: string) {
  return Type.Object(
    {
      type: Type.Literal(`export.${status}`),
      timestamp: happenedAt,
      data: Type.Object({
        exportId: Type.String(),
        status: Type.Literal(status),
        format: exportFormat,
        expiresAt: nullableTimestamp('When the file is removed; null where there is none.'),
      }),
    },
    { $id },
  );
}

const UsageThreshold = Type.Object(
  {
    type: Type.Literal('usage.threshold'),
    timestamp: happenedAt,
    data: Type.Object({
      metric: oneOf(['minutes', 'spend'], 'The minutes of the plan, or the spend limit.'),
      percent: Type.Union([Type.Literal(80), Type.Literal(100)]),
      used: Type.Integer({ description: 'Minutes, or minor units of the currency.' }),
      limit: Type.Integer({ description: 'Minutes, or minor units of the currency.' }),
      periodStart: timestamp('When the period began.'),
      periodEnd: timestamp('When it ends.'),
    }),
  },
  { $id: 'UsageThreshold' },
);

const Ping = Type.Object(
  {
    type: Type.Literal('ping'),
    timestamp: happenedAt,
    data: Type.Object({}, { description: 'Empty.' }),
  },
  { $id: 'Ping' },
);

export interface NotificationKind {
  /** Also the `type` of the body. */
  readonly type: NotificationType | 'ping';
  readonly summary: string;
  readonly body: TSchema & { readonly $id?: string };
}

export const NOTIFICATIONS: readonly NotificationKind[] = [
  {
    type: 'split.processing',
    summary: 'A job has begun',
    body: splitNotification('processing', 'SplitProcessing'),
  },
  {
    type: 'split.completed',
    summary: 'A job has completed; reading it gives the links to its segments',
    body: splitNotification('completed', 'SplitCompleted'),
  },
  { type: 'split.failed', summary: 'A job has failed', body: splitNotification('failed', 'SplitFailed') },
  {
    type: 'export.completed',
    summary: 'A data export is ready; reading it gives the link to its file',
    body: exportNotification('completed', 'ExportCompleted'),
  },
  {
    type: 'export.failed',
    summary: 'A data export has failed',
    body: exportNotification('failed', 'ExportFailed'),
  },
  {
    type: 'usage.threshold',
    summary: '80 or 100 percent of the minutes or of the spend limit are used; once each in a period',
    body: UsageThreshold,
  },
  { type: 'ping', summary: 'A test of the endpoint of the account', body: Ping },
];
