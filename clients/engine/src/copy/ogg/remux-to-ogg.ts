import { CopyNotPossibleError } from '../copy-contract.ts';
import { createPageWriter } from './page-writer.ts';
import type { OggCodec } from './stream-walker.ts';

export interface RemuxedPacket {
  readonly bytes: Buffer;
  /** The duration at its end that is not audible. */
  readonly discardedSeconds: number;
}

interface RemuxedStream<Headers> {
  readonly codec: OggCodec<Headers>;
  readonly headerPackets: readonly Buffer[];
  readonly sampleRateHz: (headers: Headers) => number;
  /** Their memory may be overwritten once the next ones are requested. */
  readonly packets: AsyncIterable<readonly RemuxedPacket[]>;
}

const SERIAL = 1;

/**
 * Moves packets from another container into an Ogg stream, for the Ogg splitters. A position is the sum of
 * the packets so far, minus the part of the last one that is not audible. Throws CopyNotPossibleError if
 * anything is discarded elsewhere, because Ogg cannot express that.
 */
export async function* remuxToOgg<Headers>({
  codec,
  headerPackets,
  sampleRateHz,
  packets,
}: RemuxedStream<Headers>): AsyncGenerator<Buffer> {
  const [identification] = headerPackets;
  if (identification === undefined || !codec.isIdentification(identification))
    throw new CopyNotPossibleError(`no ${codec.name} identification header`);
  const headers = codec.readHeaders(headerPackets);
  const samplesOf = codec.createMeter(headers);
  const rateHz = sampleRateHz(headers);
  let parts: Uint8Array[] = [];
  let sizeBytes = 0;
  const pages = createPageWriter(
    {
      append(bytes) {
        parts.push(bytes);
        sizeBytes += bytes.byteLength;
      },
      get sizeBytes() {
        return sizeBytes;
      },
    },
    SERIAL,
  );

  function takePages(): Buffer {
    const taken = Buffer.concat(parts);
    parts = [];
    return taken;
  }

  pages.addHeaders(headerPackets);
  let granulePosition = 0;
  let isEnded = false;
  let isEmpty = true;
  for await (const batch of packets) {
    for (const { bytes, discardedSeconds } of batch) {
      if (isEnded) throw new CopyNotPossibleError('sound is left out midway');
      const sampleCount = samplesOf(bytes, 0, bytes.length);
      const discarded = Math.round(discardedSeconds * rateHz);
      if (discarded < 0 || discarded > sampleCount)
        throw new CopyNotPossibleError('more is left out than the packet holds');
      isEnded = discarded > 0;
      granulePosition += sampleCount - discarded;
      pages.add(bytes, granulePosition);
      isEmpty = false;
    }
    pages.detach();
    yield takePages();
  }
  if (isEmpty) throw new CopyNotPossibleError('no packet of sound');
  pages.end();
  yield takePages();
}
