/**
 * The open streams of job events of this gateway.
 *
 * A stream compares what it has sent with how the job is, whenever it hears of it, and sends the difference. So it
 * cannot miss anything for good: what cannot be sent now, because the reader is slow or a service away, is found missing
 * again a second later. Before anything is sent the caller's credential is asked for anew: a key that has been revoked
 * meanwhile ends its streams and learns nothing more.
 */
import { Readable } from 'node:stream';
import type { Logger } from '@audiosplit/chassis/process/log';
import { toApiError } from '../http/errors/api-error.ts';
import type { JobNotice } from '../mapping/splits.ts';
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
import { createStreamSlots } from './stream-slots.ts';

export interface StreamRequest {
  readonly accountId: string;
  readonly jobId: string;
  /** How the job is now. */
  readonly state: JobState;
  /** Id of the last event that the client has seen; NOTHING_ID for none. */
  readonly seenId: number;
  /** Throws what the caller would be refused with if it asked now. */
  readonly checkAccess: () => Promise<void>;
  /** Reads the job once it has ended. */
  readonly readNotice: () => Promise<JobNotice>;
}

export interface JobEventStreams extends Disposable {
  /** Text in UTF-8 that ends after the job's last event. Destroy it to stop following. Throws TOO_MANY_STREAMS. */
  open(request: StreamRequest): Readable;
  /** The same as JobEvents, for a caller with a format of its own. */
  openEvents(request: StreamRequest): Readable;
}

/** What a stream is made of. */
interface Form {
  readonly objectMode: boolean;
  readonly encode: (event: JobEvent) => unknown;
  /** Undefined where nothing is to be sent. */
  readonly opening: string | undefined;
  readonly heartbeat: string | undefined;
  /** Whether bytes that were fetched are worth an event, also where the per cent stay. */
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

export interface StreamsOptions {
  readonly watch: JobWatch;
  readonly log: Logger;
  readonly heartbeatEveryMs: number;
  readonly maxPerAccount: number;
}

export function createJobEventStreams(options: StreamsOptions): JobEventStreams {
  const slots = createStreamSlots(options.maxPerAccount);
  const open = new Set<OpenStream>();
  let isEnding = false;
  const openAs = (form: Form, request: StreamRequest) => {
    // A stopping gateway only tells the client when to ask again, which another one will answer.
    if (isEnding) return Readable.from(form.opening === undefined ? [] : [form.opening]);
    const release = slots.take(request.accountId);
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
  // What the client has seen of a former stream is known by its id alone.
  let seenBytes: bigint | undefined | typeof UNKNOWN = UNKNOWN;
  let latest: Sighting = state;
  let isSending = false;
  let isHeldBack = false;
  let isOver = false;

  const hasNews = (current: JobState) => {
    const id = eventIdOf(current);
    if (id > seenId) return true;
    // A queued job has no event, and an end that was seen stays the end, whatever an old sighting says.
    if (!reportsFetching || id !== seenId || id === NOTHING_ID || id === END_ID) return false;
    return current.fetching?.fetchedBytes !== seenBytes;
  };

  /** What there is to be said now; undefined where there will be nothing more. */
  const next = async (): Promise<JobEvent | typeof NOTHING_NEW | undefined> => {
    const current = latest;
    if (current === 'gone') return undefined;
    await checkAccess();
    if (!hasNews(current)) return NOTHING_NEW;
    const id = eventIdOf(current);
    const event = id === END_ID ? endEvent(await readNotice()) : progressEvent(current);
    seenId = id;
    seenBytes = current.fetching?.fetchedBytes;
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
      // What is only away for the moment refuses nothing: the next look finds the same to be said.
      if (status > 500) {
        if (!isHeldBack)
          log.warn({ err: error, jobId }, 'a job event is kept back until what failed works again');
        isFailing = true;
        return NOTHING_NEW;
      }
      if (status === 500) log.error({ err: error, jobId }, 'a stream of job events breaks off');
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
    // What has not been read yet says enough.
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
