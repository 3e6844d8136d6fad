import type { HostError } from './packed-error.ts';
import { MAX_WEIGHT_IN_FLIGHT, weightOf } from './protocol.ts';

export interface SourceReceiver {
  readonly chunks: AsyncIterable<Uint8Array>;
  take(chunk: Uint8Array): void;
  /** With an error: the source has failed. Earlier chunks are still delivered. */
  end(error?: HostError): void;
}

/** Rare enough to cost nothing, frequent enough that the host need not wait. */
const REPORT_WEIGHT = MAX_WEIGHT_IN_FLIGHT / 4;

/** The thread's end of a source. `reportRead` receives the weight of the chunks that the engine has read. */
export function receiveSource(reportRead: (weight: number) => void): SourceReceiver {
  const queue: Uint8Array[] = [];
  let ended: { readonly error: HostError | undefined } | undefined;
  let wake: () => void = () => undefined;

  async function* read(): AsyncGenerator<Uint8Array> {
    let weight = 0;
    for (;;) {
      const chunk = queue.shift();
      if (chunk !== undefined) {
        weight += weightOf(chunk);
        if (weight >= REPORT_WEIGHT || queue.length === 0) {
          reportRead(weight);
          weight = 0;
        }
        yield chunk;
      } else if (ended !== undefined) {
        if (ended.error !== undefined) throw ended.error;
        return;
      } else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  }

  return {
    chunks: read(),
    take(chunk) {
      queue.push(chunk);
      wake();
    },
    end(error) {
      ended = { error };
      wake();
    },
  };
}
