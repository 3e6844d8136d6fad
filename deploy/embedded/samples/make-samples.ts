/**
 * Generates the bundled sample: 48 s of slow arpeggios, so that every segment sounds different and a cut is
 * easy to hear. Deterministic except for the encoder's version. Run it with `npm run generate -- samples`;
 * the result is checked in.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import ffmpeg from '@ffmpeg-installer/ffmpeg';

const RATE_HZ = 44_100;
const NOTE_SECONDS = 0.5;
const SECONDS = 48;
/** Semitones above A2 of each chord, one chord per four seconds. */
const CHORDS = [
  [0, 7, 12, 16],
  [-4, 3, 8, 12],
  [-9, 3, 7, 12],
  [-2, 5, 10, 14],
];
const BASE_HZ = 110;

function synthesise(): Buffer {
  const samples = new Float32Array(RATE_HZ * SECONDS);
  for (let note = 0; note < SECONDS / NOTE_SECONDS; note++) {
    const chord = CHORDS[Math.floor(note / 8) % CHORDS.length] ?? [];
    const semitone = (chord[note % chord.length] ?? 0) + (note % 8 >= 4 ? 12 : 0);
    pluck(samples, Math.round(note * NOTE_SECONDS * RATE_HZ), BASE_HZ * 2 ** (semitone / 12));
  }
  const pcm = Buffer.alloc(samples.length * 2);
  for (const [index, sample] of samples.entries())
    pcm.writeInt16LE(Math.round(Math.tanh(sample) * 20_000), index * 2);
  return pcm;
}

/** A decaying tone with a few harmonics; it rings on below the notes that follow. */
function pluck(samples: Float32Array, from: number, frequencyHz: number): void {
  const length = Math.min(RATE_HZ * 2, samples.length - from);
  for (let n = 0; n < length; n++) {
    const t = n / RATE_HZ;
    const envelope = Math.min(1, t * 200) * Math.exp(-2.5 * t);
    let tone = 0;
    for (let harmonic = 1; harmonic <= 4; harmonic++)
      tone += Math.sin(2 * Math.PI * frequencyHz * harmonic * t) / harmonic ** 2;
    samples[from + n] = (samples[from + n] ?? 0) + 0.4 * envelope * tone;
  }
}

const output = join(import.meta.dirname, 'tour.mp3');
const input = `-hide_banner -loglevel error -y -f s16le -ar ${RATE_HZ} -ac 1 -i pipe:0`;
const encoding = '-c:a libmp3lame -b:a 64k -metadata title=Tour -metadata artist=audiosplit -id3v2_version 3';
const args = [...`${input} ${encoding}`.split(' '), output];
const { status, error } = spawnSync(ffmpeg.path, args, {
  input: synthesise(),
  stdio: ['pipe', 'inherit', 'inherit'],
});
if (error !== undefined) throw error;
process.exit(status ?? 1);
