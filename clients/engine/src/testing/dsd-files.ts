/**
 * A tone as DSD, in both of its containers, for tests: a modulator of the first order, one bit per sample.
 * Zeros follow the last bit in the last block of a DSF, as writers put there; they are audible as a click.
 */
export interface DsdSpec {
  readonly bitRateHz: number;
  readonly channelCount: 1 | 2;
  /** A multiple of eight. */
  readonly bitCount: number;
  readonly toneHz: number;
  /** Of full scale. */
  readonly amplitude: number;
}

const DSF_BLOCK_BYTES = 4_096;

/**
 * Sony's DSF (DSF File Format Specification 1.01): the earliest bit is the lowest, and blocks of the channels
 * alternate.
 */
export function createDsf(spec: DsdSpec): Buffer {
  const { bitRateHz, channelCount, bitCount } = spec;
  const channel = modulated(spec, 'lowest first');
  const blockCount = Math.ceil(channel.length / DSF_BLOCK_BYTES);
  const blocks = Array.from({ length: blockCount * channelCount }, (_, index) => {
    const start = Math.floor(index / channelCount) * DSF_BLOCK_BYTES;
    const block = channel.subarray(start, start + DSF_BLOCK_BYTES);
    return Buffer.concat([block, Buffer.alloc(DSF_BLOCK_BYTES - block.length)]);
  });
  const sound = Buffer.concat(blocks);
  const format = Buffer.alloc(40);
  for (const [index, value] of [1, 0, channelCount, channelCount, bitRateHz, 1].entries())
    format.writeUInt32LE(value, 4 * index);
  format.writeBigUInt64LE(BigInt(bitCount), 24);
  format.writeUInt32LE(DSF_BLOCK_BYTES, 32);
  const totalBytes = 28 + 52 + 12 + sound.length;
  const head = Buffer.alloc(16);
  head.writeBigUInt64LE(BigInt(totalBytes), 0);
  const chunks = [chunk('DSD ', head), chunk('fmt ', format), chunk('data', sound)];
  return Buffer.concat(chunks);

  function chunk(id: string, body: Buffer): Buffer {
    const size = Buffer.alloc(8);
    size.writeBigUInt64LE(BigInt(12 + body.length));
    return Buffer.concat([Buffer.from(id), size, body]);
  }
}

/** Philips' DSDIFF 1.5: the earliest bit is the highest, and bytes of the channels alternate. */
export function createDff(spec: DsdSpec): Buffer {
  const { bitRateHz, channelCount } = spec;
  const channel = modulated(spec, 'highest first');
  const sound = Buffer.alloc(channel.length * channelCount);
  for (const [index, byte] of channel.entries())
    sound.fill(byte, index * channelCount, (index + 1) * channelCount);
  const channels = Buffer.alloc(2 + 4 * channelCount);
  channels.writeUInt16BE(channelCount);
  channels.write(channelCount === 1 ? 'C   ' : 'SLFTSRGT', 2, 'latin1');
  const rate = Buffer.alloc(4);
  rate.writeUInt32BE(bitRateHz);
  const properties = [
    Buffer.from('SND '),
    chunk('FS  ', rate),
    chunk('CHNL', channels),
    chunk('CMPR', Buffer.from('DSD \u000enot compressed\0', 'latin1')),
  ];
  const body = [
    Buffer.from('DSD '),
    chunk('FVER', Buffer.from([1, 5, 0, 0])),
    chunk('PROP', Buffer.concat(properties)),
    chunk('DSD ', sound),
  ];
  return chunk('FRM8', Buffer.concat(body));

  function chunk(id: string, content: Buffer): Buffer {
    const size = Buffer.alloc(8);
    size.writeBigUInt64BE(BigInt(content.length));
    return Buffer.concat([Buffer.from(id), size, content, Buffer.alloc(content.length & 1)]);
  }
}

function modulated(
  { bitRateHz, bitCount, toneHz, amplitude }: DsdSpec,
  order: 'lowest first' | 'highest first',
): Buffer {
  const bytes = Buffer.alloc(bitCount / 8);
  let error = 0;
  for (let bit = 0; bit < bitCount; bit += 1) {
    const wanted = amplitude * Math.sin((2 * Math.PI * toneHz * bit) / bitRateHz) + error;
    const isHigh = wanted >= 0;
    error = wanted - (isHigh ? 1 : -1);
    if (!isHigh) continue;
    const shift = order === 'lowest first' ? bit % 8 : 7 - (bit % 8);
    bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) | (1 << shift);
  }
  return bytes;
}
