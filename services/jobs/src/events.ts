/** What the jobs service tells others, and what it listens to. */
import { randomUUID } from 'node:crypto';
import { type Clock, systemClock } from '@audiosplit/chassis/clock';
import type { EventBus, Subscription } from '@audiosplit/chassis/event-bus/event-bus';
import { type EventPayload, eventMessage } from '@audiosplit/chassis/event-bus/event-message';
import { subscribeToEvents } from '@audiosplit/chassis/event-bus/events';
import type { OutboxMessage } from '@audiosplit/chassis/outbox/outbox';
import type { Pool } from '@audiosplit/chassis/postgres/pool';
import {
  type Event,
  EventSchema,
  type AccountLimits as ProtoLimits,
} from '@audiosplit/proto/events/v1/events';
import { TOPICS } from '@audiosplit/proto/topics';
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { AccountLimits, Job } from './job.ts';
import { type ClosingChange, closeAccount, purgeAccount, reopenAccount } from './retention/close-account.ts';
import { changeLimits } from './submit/limits.ts';

function toMessage(accountId: string, key: string, payload: EventPayload): OutboxMessage {
  return eventMessage(accountId, systemClock(), payload, { key });
}

export function splitRequested(accountId: string, jobId: string): OutboxMessage {
  // A key of its own each time: an offer that is made again must not wait behind the same busy worker.
  return toMessage(accountId, randomUUID(), { case: 'splitRequested', value: { jobId } });
}

export function partRequested(accountId: string, jobId: string, part: number): OutboxMessage {
  return toMessage(accountId, randomUUID(), { case: 'splitRequested', value: { jobId, part } });
}

export function splitStatusChanged(job: Job): OutboxMessage {
  const { cut, outputFormat } = job.request;
  return toMessage(job.accountId, job.id, {
    case: 'splitStatusChanged',
    value: {
      jobId: job.id,
      status: job.status,
      splitMode: cut.mode,
      ...(cut.mode === 'duration'
        ? { segmentDurationSeconds: cut.segmentDurationSeconds }
        : { maxFileSizeBytes: BigInt(cut.maxFileSizeBytes) }),
      ...(outputFormat === undefined ? {} : { outputFormat }),
      ...(job.segmentCount === undefined ? {} : { segmentCount: job.segmentCount }),
      createdAt: timestampFromDate(job.createdAt),
      ...(job.completedAt === undefined ? {} : { completedAt: timestampFromDate(job.completedAt) }),
      ...(job.failedAt === undefined ? {} : { failedAt: timestampFromDate(job.failedAt) }),
      ...(job.sourceFileName === undefined ? {} : { sourceFileName: job.sourceFileName }),
      ...(job.webhookUrl === undefined ? {} : { webhookUrl: job.webhookUrl }),
      ...(job.metadata === undefined ? {} : { metadataJson: job.metadata }),
      ...(job.error === undefined ? {} : { errorCode: job.error.code, errorMessage: job.error.message }),
      ...(job.sourceDurationMs === undefined ? {} : { sourceDurationMs: BigInt(job.sourceDurationMs) }),
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

/** Bytes that the job keeps in the store now. */
function storedBytesOf(job: Job): number {
  return job.segmentsExpiredAt === undefined ? (job.storedBytes ?? 0) : 0;
}

export function fromProtoLimits(limits: ProtoLimits): AccountLimits {
  return {
    revision: Number(limits.revision),
    concurrentJobs: limits.concurrentJobs,
    maxFileSizeBytes: Number(limits.maxFileSizeBytes),
    overageAllowed: limits.overageAllowed,
  };
}

export interface JobsSubscriptions {
  readonly bus: EventBus;
  readonly pool: Pool;
  readonly clock: Clock;
  readonly wakeRelay: () => void;
  readonly onCrash: (error: Error) => void;
}

export function subscribeToAccounts({
  bus,
  pool,
  clock,
  wakeRelay,
  onCrash,
}: JobsSubscriptions): Promise<Subscription> {
  return subscribeToEvents({
    bus,
    group: 'jobs',
    topics: [TOPICS.accounts],
    schema: EventSchema,
    onCrash,
    async handler(event) {
      await handleAccountEvent(pool, event, clock());
      wakeRelay();
    },
  });
}

async function handleAccountEvent(pool: Pool, event: Event, now: Date): Promise<void> {
  const { id, accountId, payload } = event;
  switch (payload.case) {
    case 'accountLimitsChanged':
      if (payload.value.limits === undefined) throw new Error(`event ${id} does not say the limits`);
      return changeLimits(pool, accountId, fromProtoLimits(payload.value.limits));
    case 'accountDeletionRequested':
      return closeAccount(pool, toClosingChange(event));
    case 'accountRestored':
      return reopenAccount(pool, toClosingChange(event));
    case 'accountPurged':
      return purgeAccount(pool, accountId, now);
    default:
      // The topic carries more kinds than concern this service, and kinds are added.
      return;
  }
}

function toClosingChange({ id, accountId, occurredAt }: Event): ClosingChange {
  if (occurredAt === undefined) throw new Error(`event ${id} does not say when it occurred`);
  return { eventId: id, accountId, occurredAt: timestampDate(occurredAt) };
}
