/** Files that become much larger than they are, or claim to be. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { resolveFfmpegPath } from '../../harness/ffmpeg.ts';
import { TOUR_SAMPLE_PATH } from '../../harness/servers/sources.ts';
import { silence } from '../../harness/servers/tones.ts';
import { temporaryFolder } from '../../harness/temporary-folder.ts';

export type HostileFile =
  | 'silence.flac'
  | 'long.flac'
  | 'claims-30h.mp3'
  | 'claims-4g.wav'
  | 'chapters.mp3'
  | 'streams.mp4'
  | 'cover.mp3'
  | 'kept-cover.mp3';

const SILENCE_SECONDS = 180;
const LONG_SECONDS = 7_200;
const CLAIMED_SECONDS = 30 * 3_600;
/** Samples per frame of MPEG 1 layer III. */
const FRAME_SAMPLES = 1_152;
const RATE_HZ = 44_100;
const CHAPTERS = 10_000;
const STREAMS = 200;
const COVER_BYTES = { 'cover.mp3': 50_000_000, 'kept-cover.mp3': 1_000_000 };

export async function makeHostileFile(name: HostileFile): Promise<Buffer> {
  switch (name) {
    case 'silence.flac':
      return silentFlac(SILENCE_SECONDS, RATE_HZ);
    case 'long.flac':
      return silentFlac(LONG_SECONDS, RATE_HZ);
    case 'streams.mp4': {
      const maps = Array.from({ length: STREAMS }, () => ['-map', '0:a']).flat();
      return runFfmpeg(['-i', TOUR_SAMPLE_PATH, '-t', '10', ...maps, '-c', 'copy'], name);
    }
    case 'claims-30h.mp3': {
      const bytes = readFileSync(TOUR_SAMPLE_PATH);
      const header = bytes.indexOf('Info');
      // Defined by LAME, not by ISO: the tag, four bytes of flags, the number of frames.
      bytes.writeUInt32BE(Math.round((CLAIMED_SECONDS * RATE_HZ) / FRAME_SAMPLES), header + 8);
      return bytes;
    }
    case 'claims-4g.wav': {
      const bytes = silence(3);
      bytes.writeUInt32LE(0xffff_ffff, 4);
      bytes.writeUInt32LE(0xffff_ffff - 36, 40);
      return bytes;
    }
    case 'chapters.mp3':
      return tagged(Array.from({ length: CHAPTERS }, (_, n) => chapter(n)));
    case 'cover.mp3':
    case 'kept-cover.mp3': {
      const picture = await paddedJpeg(COVER_BYTES[name]);
      return tagged([frame('APIC', Buffer.concat([Buffer.from('\0image/jpeg\0\x03\0', 'latin1'), picture]))]);
    }
    default:
      return name satisfies never;
  }
}

/** A picture of 16 pixels, which readers accept up to its end, and zeros behind that. */
async function paddedJpeg(sizeBytes: number): Promise<Buffer> {
  const picture = await runFfmpeg(['-f', 'lavfi', '-i', 'color=s=16x16', '-frames:v', '1'], 'cover.jpg');
  return Buffer.concat([picture, Buffer.alloc(sizeBytes - picture.length)]);
}

export function silentFlac(seconds: number, rateHz: number): Promise<Buffer> {
  const input = ['-f', 'lavfi', '-i', `anullsrc=r=${rateHz}:cl=stereo`, '-t', String(seconds)];
  return runFfmpeg(input, 'silence.flac');
}

async function runFfmpeg(args: readonly string[], name: string): Promise<Buffer> {
  await using folder = await temporaryFolder();
  const path = join(folder.path, name);
  await promisify(execFile)(await resolveFfmpegPath(undefined), ['-v', 'error', ...args, path]);
  return readFile(path);
}

/** The tour's audio after an ID3v2.3 tag with these frames. */
function tagged(frames: readonly Buffer[]): Buffer {
  const body = Buffer.concat(frames);
  const header = Buffer.from('ID3\x03\0\0', 'latin1');
  const size = Buffer.from([21, 14, 7, 0].map((shift) => (body.length >> shift) & 0x7f));
  return Buffer.concat([header, size, body, readFileSync(TOUR_SAMPLE_PATH)]);
}

function frame(id: string, body: Buffer): Buffer {
  const header = Buffer.alloc(10);
  header.write(id, 'latin1');
  header.writeUInt32BE(body.length, 4);
  return Buffer.concat([header, body]);
}

/** CHAP: its name, its start and end in milliseconds, and no byte offsets. */
function chapter(number: number): Buffer {
  const body = Buffer.alloc(16, 0xff);
  body.writeUInt32BE(number, 0);
  body.writeUInt32BE(number + 1, 4);
  return frame('CHAP', Buffer.concat([Buffer.from(`c${number}\0`, 'latin1'), body]));
}
