/** The events that the jobs service publishes, each as a message of its outbox. */
import { randomUUID } from 'node:crypto';
import { systemClock } from '@audiosplit/chassis/clock';
import { type EventPayload, eventMessage } from '@audiosplit/chassis/event-bus/event-message';
import type { OutboxMessage } from '@audiosplit/chassis/outbox/outbox';
import { toPreviousCut } from '@audiosplit/proto/previous-cut';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { isDryRun, withoutPositions } from './cut-json.ts';
import type { Job } from './job.ts';
import { toProtoCut } from './proto-mapping.ts';
import type { AccountWorkItem } from './work-item.ts';

function toMessage(accountId: string, key: string, payload: EventPayload): OutboxMessage {
  return eventMessage(accountId, systemClock(), payload, { key });
}

export function splitRequested({ accountId, jobId, part }: AccountWorkItem): OutboxMessage {
  // A new key each time: a repeated offer must not wait behind the same busy worker.
  return toMessage(accountId, randomUUID(), { case: 'splitRequested', value: { jobId, part } });
}

export function splitStatusChanged(job: Job): OutboxMessage {
  const { outputFormat } = job.request;
  const cut = toProtoCut(withoutPositions(job.request.cut));
  const { mode: _, ...previousCut } = toPreviousCut(cut);
  return toMessage(job.accountId, job.id, {
    case: 'splitStatusChanged',
    value: {
      jobId: job.id,
      status: job.status,
      cut,
      splitMode: cut.mode.case ?? '',
      ...previousCut,
      ...(outputFormat === undefined ? {} : { outputFormat }),
      ...(job.segmentCount === undefined ? {} : { segmentCount: job.segmentCount }),
      createdAt: timestampFromDate(job.createdAt),
      ...(job.completedAt === undefined ? {} : { completedAt: timestampFromDate(job.completedAt) }),
      ...(job.failedAt === undefined ? {} : { failedAt: timestampFromDate(job.failedAt) }),
      ...(job.sourceFileName === undefined ? {} : { sourceFileName: job.sourceFileName }),
      ...(job.webhookUrl === undefined ? {} : { webhookUrl: job.webhookUrl }),
      ...(job.metadata === undefined ? {} : { metadataJson: job.metadata }),
      ...(job.error === undefined ? {} : { errorCode: job.error.code, errorMessage: job.error.message }),
      // An earlier release of billing counts this field, also of a dry run.
      ...(job.sourceDurationMs === undefined || isDryRun(job.request.cut)
        ? {}
        : { sourceDurationMs: BigInt(job.sourceDurationMs) }),
      ...(job.meteredMs === undefined ? {} : { meteredMs: BigInt(job.meteredMs) }),
      ...(job.storedBytes === undefined ? {} : { storedBytes: BigInt(job.storedBytes) }),
    },
  });
}

export function splitDeleted(job: Job): OutboxMessage {
  return toMessage(job.accountId, job.id, {
    case: 'splitDeleted',
    value: { jobId: job.id, storedBytes: BigInt(storedBytesOf(job)) },
  });
}

export function segmentsExpired(job: Job): OutboxMessage {
  return toMessage(job.accountId, job.id, {
    case: 'segmentsExpired',
    value: { jobId: job.id, storedBytes: BigInt(storedBytesOf(job)) },
  });
}

/** Bytes of the job's objects in the store now. */
function storedBytesOf(job: Job): number {
  return job.segmentsExpiredAt === undefined ? (job.storedBytes ?? 0) : 0;
}
