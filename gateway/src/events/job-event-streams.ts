/**
 * The open streams of job events of this gateway.
 *
 * A stream compares the job's state with what it has sent, and sends the difference. An event that cannot be sent now,
 * because the client is slow or a service unavailable, is sent at the next check a second later. The caller's
 * credential is verified before each event, so a revoked key ends its streams.
 */
import { Readable } from 'node:stream';
import type { Logger } from '@audiosplit/chassis/process/log';
import { toApiError } from '../http/errors/api-error.ts';
import { type JobNotice, phaseOf } from '../mapping/splits.ts';
import type { ProcessingPhase } from '../schemas/splits.ts';
import {
  END_ID,
  endEvent,
  eventIdOf,
  formatEvent,
  HEARTBEAT,
  type JobEvent,
  type JobState,
  NOTHING_ID,
  progressEvent,
  RETRY_HINT,
} from './job-event.ts';
import type { JobWatch, Sighting } from './job-watch.ts';
import type { StreamSlots } from './stream-slots.ts';

export interface StreamRequest {
  readonly accountId: string;
  /** The caller's address, in the form of its bucket's name. */
  readonly address: string;
  readonly jobId: string;
  /** The current state of the job. */
  readonly state: JobState;
  /** Id of the last event that the client has seen; NOTHING_ID for none. */
  readonly seenId: number;
  /** Throws the error that a new request of this caller would receive. */
  readonly checkAccess: () => Promise<void>;
  /** Reads the finished job. */
  readonly readNotice: () => Promise<JobNotice>;
}

export interface JobEventStreams extends Disposable {
  /**
   * A stream of UTF-8 text that ends after the job's last event. Destroy it to unsubscribe. Throws TOO_MANY_STREAMS.
   */
  open(request: StreamRequest): Readable;
  /** The same as JobEvent objects, for a caller with its own format. */
  openEvents(request: StreamRequest): Readable;
}

/** The format of a stream. */
interface Form {
  readonly objectMode: boolean;
  readonly encode: (event: JobEvent) => unknown;
  readonly opening: string | undefined;
  readonly heartbeat: string | undefined;
  /** Whether to send an event when only the fetched bytes have changed. */
  readonly reportsFetching: boolean;
}

const TEXT: Form = {
  objectMode: false,
  encode: formatEvent,
  opening: RETRY_HINT,
  heartbeat: HEARTBEAT,
  reportsFetching: false,
};
const EVENTS: Form = {
  objectMode: true,
  encode: (event) => event,
  opening: undefined,
  heartbeat: undefined,
  reportsFetching: true,
};

interface StreamsOptions {
  readonly watch: JobWatch;
  readonly log: Logger;
  readonly heartbeatEveryMs: number;
  readonly slots: StreamSlots;
}

export function createJobEventStreams(options: StreamsOptions): JobEventStreams {
  const open = new Set<OpenStream>();
  let isEnding = false;
  const openAs = (form: Form, request: StreamRequest) => {
    // A stopping gateway sends only the retry delay, so that the client reconnects to another gateway.
    if (isEnding) return Readable.from(form.opening === undefined ? [] : [form.opening]);
    const release = options.slots.take(request);
    const opened = openStream(options, form, request, () => {
      release();
      open.delete(opened);
    });
    open.add(opened);
    return opened.stream;
  };
  return {
    open: (request) => openAs(TEXT, request),
    openEvents: (request) => openAs(EVENTS, request),
    [Symbol.dispose]() {
      isEnding = true;
      for (const { end } of open) end();
      options.watch[Symbol.dispose]();
    },
  };
}

const NOTHING_NEW = Symbol('nothing new');
const UNKNOWN = Symbol('unknown');

interface OpenStream {
  readonly stream: Readable;
  end(): void;
}

function openStream(
  { watch, log, heartbeatEveryMs }: StreamsOptions,
  { objectMode, encode, opening, heartbeat: silence, reportsFetching }: Form,
  { jobId, state, seenId: seenBefore, checkAccess, readNotice }: StreamRequest,
  onClose: () => void,
): OpenStream {
  let seenId = seenBefore;
  // For an earlier stream, only the last event id is known.
  let seenBytes: bigint | undefined | typeof UNKNOWN = UNKNOWN;
  let seenPhase: ProcessingPhase | undefined;
  let latest: Sighting = state;
  let isSending = false;
  let isHeldBack = false;
  let isOver = false;

  const hasNews = (current: JobState) => {
    const id = eventIdOf(current);
    if (id > seenId) return true;
    // A queued job has no event, and nothing follows the end event.
    if (id !== seenId || id === NOTHING_ID || id === END_ID) return false;
    if (seenPhase !== undefined && phaseOf(current) !== seenPhase) return true;
    return reportsFetching && current.fetching?.fetchedBytes !== seenBytes;
  };

  /** The event to send now. Undefined at the end of the stream. */
  const next = async (): Promise<JobEvent | typeof NOTHING_NEW | undefined> => {
    const current = latest;
    if (current === 'gone') return undefined;
    await checkAccess();
    if (!hasNews(current)) return NOTHING_NEW;
    const id = eventIdOf(current);
    const event = id === END_ID ? endEvent(await readNotice()) : progressEvent(current);
    seenId = id;
    seenBytes = current.fetching?.fetchedBytes;
    seenPhase = phaseOf(current);
    return event;
  };
  const end = () => {
    if (!isOver) stream.push(null);
    isOver = true;
  };
  const send = async () => {
    if (isSending || isOver) return;
    isSending = true;
    let isFailing = false;
    const found = await next().catch((error: unknown) => {
      const { status } = toApiError(error);
      // An outage ends no stream. The next check finds the same event to send.
      if (status > 500) {
        if (!isHeldBack)
          log.warn({ err: error, jobId }, 'a job event is delayed by an error, and is sent later');
        isFailing = true;
        return NOTHING_NEW;
      }
      if (status === 500) log.error({ err: error, jobId }, 'a stream of job events ended with an error');
      return undefined;
    });
    isHeldBack = isFailing;
    isSending = false;
    if (isOver) return;
    const chunk = found === NOTHING_NEW ? silence : found && encode(found);
    if (chunk !== undefined) stream.push(chunk);
    if (found === undefined || seenId === END_ID) end();
  };
  const sendUnlessSlow = () => {
    // Nothing is added while the client has unread data.
    if (stream.readableLength === 0) void send();
  };

  const unfollow = watch.follow(jobId, (sighting) => {
    latest = sighting;
    if (sighting === 'gone' || hasNews(sighting)) sendUnlessSlow();
  });
  const heartbeat = setInterval(sendUnlessSlow, heartbeatEveryMs);
  const stream = new Readable({
    ...(objectMode ? { objectMode } : { encoding: 'utf8' }),
    read: () => undefined,
    destroy(error, done) {
      isOver = true;
      unfollow();
      clearInterval(heartbeat);
      onClose();
      done(error);
    },
  });
  if (opening !== undefined) stream.push(opening);
  void send();
  return { stream, end };
}
