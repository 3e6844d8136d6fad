/** The body of an upload as a stream that fails once it is too long, too short or too slow. */
import { type Readable, Transform } from 'node:stream';
import {
  emptyFile,
  fileTooLarge,
  longerThanAnnounced,
  shorterThanAnnounced,
  uploadBrokeOff,
  uploadTooSlow,
} from './upload-errors.ts';
import { createUploadPace } from './upload-pace.ts';

interface BodyOptions {
  readonly maxBytes: number;
  readonly announcedBytes: number | undefined;
  readonly idleMs: number;
  readonly minBytesPerSecond: number;
  readonly onReceived: (bytes: number) => void;
}

interface ReceivedBody {
  /** Begins to read. Until then nothing of the body is held, and its pace does not count. */
  start(): Readable;
  fail(error: Error): void;
}

const CHECK_EVERY_MS = 1_000;

export function receiveBody(body: Readable, options: BodyOptions): ReceivedBody {
  const { maxBytes, announcedBytes, idleMs, minBytesPerSecond, onReceived } = options;
  const nowMs = () => performance.now();
  let receivedBytes = 0;
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      receivedBytes += chunk.length;
      onReceived(receivedBytes);
      pace?.arrived(chunk.length, nowMs());
      if (receivedBytes > maxBytes) done(fileTooLarge(maxBytes));
      else if (announcedBytes !== undefined && receivedBytes > announcedBytes)
        done(longerThanAnnounced(announcedBytes));
      else done(null, chunk);
    },
    flush(done) {
      if (receivedBytes === 0) done(emptyFile());
      else if (announcedBytes !== undefined && receivedBytes < announcedBytes)
        done(shorterThanAnnounced(receivedBytes, announcedBytes));
      else done();
    },
  });
  // It may fail before the store listens.
  stream.on('error', () => undefined);
  let pace: ReturnType<typeof createUploadPace> | undefined;
  const fail = (error: Error) => void stream.destroy(error);

  return {
    fail,
    start() {
      const running = createUploadPace({ idleMs, minBytesPerSecond, nowMs: nowMs() });
      pace = running;
      const check = () => {
        const complaint = running.complaint(nowMs());
        if (complaint !== undefined) fail(uploadTooSlow(complaint));
      };
      const timer = setInterval(check, Math.min(CHECK_EVERY_MS, idleMs / 4));
      stream.once('close', () => clearInterval(timer));
      body.on('pause', () => running.paused(nowMs()));
      stream.on('drain', () => running.resumed(nowMs()));
      // Not `pipeline`, which would close the connection of a refused body before the refusal is sent.
      const breakOff = () => fail(uploadBrokeOff(receivedBytes));
      body.once('error', breakOff);
      body.once('close', () => {
        if (!body.readableEnded) breakOff();
      });
      body.pipe(stream);
      return stream;
    },
  };
}
