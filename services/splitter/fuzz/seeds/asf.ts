import { createWmaFile } from '../../src/media/testing/asf-files.ts';
import { createCase } from '../engine/fuzz-case.ts';
import { little, noise } from './bytes.ts';

const SHAPE = { sampleRateHz: 8_000, channelCount: 1, bytesPerSecond: 1_000, codecFlags: 1, packetBytes: 90 };
const BLOCKS = [noise(40), noise(40), noise(40)];
const DATA_FIELDS_BYTES = 50;

export function asfSeeds(): readonly Buffer[] {
  const plain = createWmaFile(BLOCKS, SHAPE);
  const live = createWmaFile(BLOCKS, { ...SHAPE, codecFlags: 3, packetBytes: 50, isBroadcast: true });
  return [
    createCase(plain, { chunking: 2 }),
    createCase(live),
    createCase(live.subarray(0, live.length - 10), { chunking: 3 }),
    createCase(brokenOff(plain)),
  ];
}

/** Its last packet has three payloads, of which two are there. */
function brokenOff(file: Buffer): Buffer {
  const payload = Buffer.concat([
    Buffer.of(0x81, 0),
    little(4, 0),
    Buffer.of(8),
    little(4, 10, 0),
    little(2, 10),
  ]);
  const payloads = [1, 2, 3].map(() => Buffer.concat([payload, noise(10)]));
  const head = Buffer.concat([
    Buffer.of(0x82, 0, 0, 0x01, 0x5d),
    little(4, 0),
    little(2, 0),
    Buffer.of(0x83),
  ]);
  const packets = Number(file.readBigUInt64LE(16)) + DATA_FIELDS_BYTES;
  return Buffer.concat([file.subarray(0, packets + SHAPE.packetBytes), head, ...payloads]).subarray(0, -5);
}
