import { createCase } from '../engine/fuzz-case.ts';
import { ascii, FILLER_BYTES, little, noise } from './bytes.ts';
import { richTags } from './id3.ts';

interface WaveShape {
  readonly tag: number;
  readonly channelCount: number;
  readonly sampleRateHz: number;
  readonly bits: number;
}

function chunk(id: string, body: Buffer, claimedBytes = body.length): Buffer {
  return Buffer.concat([ascii(id), little(4, claimedBytes), body, Buffer.alloc(body.length % 2)]);
}

function format({ tag, channelCount, sampleRateHz, bits }: WaveShape): Buffer {
  const block = channelCount * Math.ceil(bits / 8);
  const plain = Buffer.concat([
    little(2, tag, channelCount),
    little(4, sampleRateHz, sampleRateHz * block),
    little(2, block, bits),
  ]);
  if (tag !== 0xfffe) return chunk('fmt ', plain);
  const subFormat = Buffer.from('0100000000001000800000aa00389b71', 'hex');
  return chunk('fmt ', Buffer.concat([plain, little(2, 22, bits), little(4, 3), subFormat]));
}

function riff(chunks: readonly Buffer[], id = 'RIFF'): Buffer {
  const body = Buffer.concat([ascii('WAVE'), ...chunks]);
  return Buffer.concat([ascii(id), little(4, id === 'RIFF' ? body.length : 0xffffffff), body]);
}

const SLOW: WaveShape = { tag: 1, channelCount: 1, sampleRateHz: 100, bits: 8 };
const STEREO: WaveShape = { tag: 1, channelCount: 2, sampleRateHz: 200, bits: 16 };
const EXTENSIBLE: WaveShape = { tag: 0xfffe, channelCount: 2, sampleRateHz: 150, bits: 24 };
const FLOAT: WaveShape = { tag: 3, channelCount: 1, sampleRateHz: 300, bits: 32 };
const FAST: WaveShape = { tag: 1, channelCount: 2, sampleRateHz: 48_000, bits: 16 };

export function wavSeeds(): readonly Buffer[] {
  const list = chunk(
    'LIST',
    Buffer.concat([ascii('INFO'), chunk('INAM', ascii('Title\0')), chunk('IART', ascii('A\0'))]),
  );
  const id3 = chunk('id3 ', richTags()[0] ?? Buffer.alloc(0));
  const ds64 = chunk('ds64', Buffer.concat([little(8, 0, 1_200, 400), little(4, 0)]));
  const fillerHead = Buffer.concat([ascii('JUNK'), little(4, FILLER_BYTES)]);
  return [
    createCase(riff([format(SLOW), chunk('data', noise(501))])),
    createCase(riff([format(STEREO), list, id3, chunk('data', noise(1_600)), list])),
    createCase(riff([format(EXTENSIBLE), chunk('data', noise(1_800))])),
    createCase(riff([format(FLOAT), chunk('fact', little(4, 300)), chunk('data', noise(1_200), 0xffffffff)])),
    createCase(riff([format(FLOAT), chunk('data', noise(1_204), 0)])),
    createCase(riff([ds64, format(FLOAT), chunk('data', noise(1_200), 0xffffffff)], 'RF64')),
    createCase(riff([format(FAST), chunk('data', noise(2_000))])),
    createCase(riff([format(FAST), chunk('data', noise(40), 0)]), {
      repeat: { at: 44, byteCount: 40, times: 12_000 },
    }),
    createCase(riff([fillerHead, format(STEREO), chunk('data', noise(1_200))]), {
      repeat: { at: 19, byteCount: 1, times: FILLER_BYTES },
      chunking: 5,
    }),
  ];
}
