import type { Waveform } from '@audiosplit/engine/waveform/peak-meter';

const HEADER_BYTES = 24;
const VERSION = 2;
const EIGHT_BITS = 1;
const CHANNELS = 1;

/** The binary format of BBC's audiowaveform (its doc/DataFormat.md). */
export function encodeWaveform({ sampleRateHz, samplesPerPixel, values }: Waveform): Buffer<ArrayBuffer> {
  const header = Buffer.alloc(HEADER_BYTES);
  const fields = [VERSION, EIGHT_BITS, sampleRateHz, samplesPerPixel, values.length / 2, CHANNELS];
  for (const [index, field] of fields.entries()) header.writeInt32LE(field, 4 * index);
  return Buffer.concat([header, new Uint8Array(values.buffer)]);
}
