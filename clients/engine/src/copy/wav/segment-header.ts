import type { WaveHead } from './wave-header.ts';

/** The layout of a segment's header; its size does not depend on the length of the audio. */
export interface SegmentHeaderPlan {
  readonly head: WaveHead;
  /** Reserves room for 64-bit sizes, for segments that may exceed 4 GiB. */
  readonly mayNeed64Bit: boolean;
}

const MAX_32_BIT = 0xffffffff;
const DS64_BYTES = 28;

/**
 * The bytes before `sampleCount` samples: RIFF, or RF64 with its `ds64` chunk if a size exceeds 32 bits.
 * Otherwise a `JUNK` chunk reserves the room for `ds64` (EBU Tech 3306 section 4). Formats other than plain
 * PCM get the `fact` chunk that they require.
 */
export function createSegmentHeader(plan: SegmentHeaderPlan, sampleCount: number): Buffer {
  const { head } = plan;
  const dataBytes = sampleCount * head.blockAlignBytes;
  const fact = head.isIntegerPcm ? [] : [chunk('fact', uint32(Math.min(sampleCount, MAX_32_BIT)))];
  const body = [chunk('fmt ', head.format), ...fact, head.tags];
  const bodyBytes = body.reduce((sum, part) => sum + part.length, 0);
  const headerBytes = 12 + (plan.mayNeed64Bit ? 8 + DS64_BYTES : 0) + bodyBytes + 8;
  const riffBytes = headerBytes - 8 + dataBytes + (dataBytes % 2);
  const is64Bit = riffBytes > MAX_32_BIT;
  if (is64Bit && !plan.mayNeed64Bit) throw new RangeError('the segment outgrew a 32-bit header');

  const sizes64 = Buffer.alloc(DS64_BYTES);
  if (is64Bit) {
    sizes64.writeBigUInt64LE(BigInt(riffBytes), 0);
    sizes64.writeBigUInt64LE(BigInt(dataBytes), 8);
    sizes64.writeBigUInt64LE(BigInt(sampleCount), 16);
  }
  return Buffer.concat([
    Buffer.from(is64Bit ? 'RF64' : 'RIFF', 'latin1'),
    uint32(is64Bit ? MAX_32_BIT : riffBytes),
    Buffer.from('WAVE', 'latin1'),
    ...(plan.mayNeed64Bit ? [chunk(is64Bit ? 'ds64' : 'JUNK', sizes64)] : []),
    ...body,
    Buffer.from('data', 'latin1'),
    uint32(is64Bit ? MAX_32_BIT : dataBytes),
  ]);
}

export function chunk(id: string, body: Buffer): Buffer {
  const padding = Buffer.alloc(body.length % 2);
  return Buffer.concat([Buffer.from(id, 'latin1'), uint32(body.length), body, padding]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
