/** A recording to look at: phrases that swell and fade over a tone, as speech does. WAV, mono, 16 bits, 8 kHz. */

const SAMPLE_RATE_HZ = 8_000;
const HEADER_BYTES = 44;

export function makeRecording(seconds: number): Buffer {
  const count = seconds * SAMPLE_RATE_HZ;
  const wav = Buffer.alloc(HEADER_BYTES + count * 2);
  wav.write('RIFF', 0);
  wav.writeUInt32LE(wav.length - 8, 4);
  wav.write('WAVEfmt ', 8);
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(SAMPLE_RATE_HZ, 24);
  wav.writeUInt32LE(SAMPLE_RATE_HZ * 2, 28);
  wav.writeUInt16LE(2, 32);
  wav.writeUInt16LE(16, 34);
  wav.write('data', 36);
  wav.writeUInt32LE(count * 2, 40);
  for (let n = 0; n < count; n += 1) {
    const at = n / SAMPLE_RATE_HZ;
    const chapter = 0.55 + 0.4 * Math.sin(at / 41) * Math.cos(at / 17 + 1);
    const phrase = Math.max(0, Math.sin(at / 1.9) + 0.55 * Math.sin(at / 5.3 + 2));
    const tone = Math.sin(2 * Math.PI * 190 * at);
    wav.writeInt16LE(
      Math.round(24_000 * Math.min(1, chapter * (0.08 + 0.6 * phrase)) * tone),
      HEADER_BYTES + n * 2,
    );
  }
  return wav;
}
