import { createCase } from '../engine/fuzz-case.ts';
import { little, noise } from './bytes.ts';

export const WMA_PRO_FORMAT_BYTES = 36;
const BLOCK_BYTES = 40;

/** A format, and blocks behind it. */
export function wmaProSeeds(): readonly Buffer[] {
  return [0x40, 0xe0].map((flags) => {
    const own = [little(2, 16), little(4, 0, 0, 0), little(2, flags, 0)];
    const format = [little(2, 0x162, 2), little(4, 44_100, 4_800), little(2, BLOCK_BYTES, 16, 18), ...own];
    // Nothing goes on in the first; it begins with a frame of 21 bits that mentions padding.
    const block = Buffer.concat([Buffer.of(0, 0, 0x54), noise(BLOCK_BYTES - 3)]);
    return createCase(Buffer.concat([...format, block, noise(BLOCK_BYTES)]));
  });
}
