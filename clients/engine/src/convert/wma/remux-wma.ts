/**
 * WMA for an older ffmpeg, whose decoders omit the last frame of WMA 1 and 2 and return all padding of WMA
 * Pro.
 *
 * ffmpeg copies the packets of every container into Matroska, so that only one container must be read and
 * extended here.
 */
import { remuxArgv } from '../../ffmpeg/argv.ts';
import type { FfmpegRuntime } from '../../ffmpeg/run.ts';
import type { SourceFile } from '../input/source-file.ts';
import { type FedSource, startOnSource } from '../input/source-process.ts';
import { withSilentFrame } from './last-frame.ts';
import { type StreamTail, wmaProPadding } from './wma-pro-end.ts';

interface RemuxedWma {
  readonly bytes: AsyncIterable<Uint8Array>;
  /** How many of the decoded samples are padding. Call it after the bytes were read. */
  surplusSamples(decodedSamples: number): number;
}

/** Several blocks of the longest. */
const MAX_TAIL_BYTES = 8 * 65_536;

export function remuxWma(runtime: FfmpegRuntime, source: SourceFile | FedSource): RemuxedWma {
  const { container } = source;
  let format = Buffer.alloc(0);
  let packets: StreamTail = { bytes: Buffer.alloc(0), totalBytes: 0 };

  async function* bytes(): AsyncGenerator<Uint8Array> {
    let reading = Promise.resolve(packets);
    await using remuxing = await startOnSource(runtime, source, {
      argsFor: (sourceName) => remuxArgv({ container, sourceName }),
      readSideOutput(stream) {
        reading = readTail(stream);
        // A child that is stopped closes it early.
        reading.catch(() => undefined);
      },
    });
    yield* withSilentFrame(remuxing.child.stdout, (found) => {
      format = Buffer.from(found);
    });
    await remuxing.finish();
    packets = await reading;
  }

  return {
    bytes: bytes(),
    surplusSamples: (decodedSamples) => wmaProPadding(format, packets, decodedSamples),
  };
}

/** The last bytes of a stream. */
async function readTail(stream: AsyncIterable<Buffer>): Promise<StreamTail> {
  let bytes = Buffer.alloc(0);
  let totalBytes = 0;
  for await (const chunk of stream) {
    bytes = Buffer.concat([bytes, chunk]).subarray(-MAX_TAIL_BYTES);
    totalBytes += chunk.length;
  }
  return { bytes, totalBytes };
}
