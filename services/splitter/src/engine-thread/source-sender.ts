import { isMarkedAsUntransferable, type Transferable } from 'node:worker_threads';
import { MAX_WEIGHT_IN_FLIGHT, type SourceTurn, type ToSplit, weightOf } from './protocol.ts';

interface SourceSender {
  bytesSent(): number;
  /** Allows more chunks to be sent. */
  readChunks(weight: number): void;
  /** Stops sending and closes the source. */
  stop(): Promise<void>;
}

interface SourceSenderOptions {
  readonly send: (message: ToSplit, transfer?: Transferable[]) => void;
  /** Returns the error's id. */
  readonly keepError: (error: unknown) => number;
  /** The source does not use its chunks again: those that do not share their memory are transferred, not copied. */
  readonly takesOverChunks: boolean;
  readonly onHunger?: ((isHungry: boolean) => void) | undefined;
}

/** Reads a source on the host and sends it into a split, at most `MAX_WEIGHT_IN_FLIGHT` ahead of the engine. */
export function sendSource(
  source: AsyncIterable<Uint8Array>,
  turn: SourceTurn,
  { send, keepError, takesOverChunks, onHunger = () => undefined }: SourceSenderOptions,
): SourceSender {
  const iterator = source[Symbol.asyncIterator]();
  let bytesSent = 0;
  let weightInFlight = 0;
  let isStopped = false;
  let isReading = false;
  let isHungry = false;
  let goOn: () => void = () => undefined;

  /** Chunks in flight are work to do: only without them does the engine starve. */
  function noteHunger(): void {
    const isNow = isReading && weightInFlight === 0 && !isStopped;
    if (isNow === isHungry) return;
    isHungry = isNow;
    onHunger(isNow);
  }

  async function pump(): Promise<void> {
    while (!isStopped) {
      if (weightInFlight >= MAX_WEIGHT_IN_FLIGHT) {
        await new Promise<void>((resolve) => {
          goOn = resolve;
        });
        continue;
      }
      isReading = true;
      noteHunger();
      const next = await iterator.next();
      isReading = false;
      noteHunger();
      if (isStopped) return;
      if (next.done === true) {
        send({ kind: 'source-ended', turn });
        return;
      }
      if (next.value.byteLength === 0) continue;
      bytesSent += next.value.byteLength;
      weightInFlight += weightOf(next.value);
      const bytes = takesOverChunks ? takeOver(next.value) : new Uint8Array(next.value);
      send({ kind: 'chunk', turn, bytes }, [bytes.buffer]);
    }
  }
  pump().catch((error: unknown) => {
    isReading = false;
    noteHunger();
    send({ kind: 'source-failed', turn, errorId: keepError(error) });
  });

  return {
    bytesSent: () => bytesSent,
    readChunks(weight) {
      weightInFlight -= weight;
      noteHunger();
      goOn();
    },
    async stop() {
      isStopped = true;
      noteHunger();
      goOn();
      const closed = Promise.resolve(iterator.return?.()).catch(() => undefined);
      // A pending read may take any time; the source's opener ends it.
      if (!isReading) await closed;
    },
  };
}

/** The chunk's bytes in memory of their own: its own memory if it shares it with nothing, else a copy. */
function takeOver(chunk: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteLength } = chunk;
  const isOwn = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength;
  if (isOwn && !isMarkedAsUntransferable(buffer)) return new Uint8Array(buffer);
  return new Uint8Array(chunk);
}
