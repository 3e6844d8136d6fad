/** Uncompressed sources that are generated and not stored: 16-bit PCM, mono, at 8 kHz. */
const RATE_HZ = 8_000;
const BYTES_PER_SAMPLE = 2;
const HEADER_BYTES = 44;

/** Cheap to fetch and to split. */
export function silence(seconds: number): Buffer {
  return wav(seconds * RATE_HZ);
}

/** The pitch rises, so that no two segments are alike. */
export function risingTone(seconds: number): Buffer {
  let phase = 0;
  return tone(seconds, (atSeconds) => {
    phase += (2 * Math.PI * (200 + atSeconds)) / RATE_HZ;
    return 8_000 * Math.sin(phase);
  });
}

/** `sampleAt` returns each sample, from -32,768 to 32,767; it is called in order of time. */
export function tone(seconds: number, sampleAt: (atSeconds: number) => number): Buffer {
  const sampleCount = seconds * RATE_HZ;
  const bytes = wav(sampleCount);
  for (let n = 0; n < sampleCount; n += 1)
    bytes.writeInt16LE(Math.round(sampleAt(n / RATE_HZ)), HEADER_BYTES + n * BYTES_PER_SAMPLE);
  return bytes;
}

/** RIFF with one fmt chunk of plain PCM. */
function wav(sampleCount: number): Buffer {
  const dataBytes = sampleCount * BYTES_PER_SAMPLE;
  const bytes = Buffer.alloc(HEADER_BYTES + dataBytes);
  bytes.write('RIFF', 0, 'latin1');
  bytes.writeUInt32LE(HEADER_BYTES - 8 + dataBytes, 4);
  bytes.write('WAVEfmt ', 8, 'latin1');
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(1, 22);
  bytes.writeUInt32LE(RATE_HZ, 24);
  bytes.writeUInt32LE(RATE_HZ * BYTES_PER_SAMPLE, 28);
  bytes.writeUInt16LE(BYTES_PER_SAMPLE, 32);
  bytes.writeUInt16LE(BYTES_PER_SAMPLE * 8, 34);
  bytes.write('data', 36, 'latin1');
  bytes.writeUInt32LE(dataBytes, 40);
  return bytes;
}
