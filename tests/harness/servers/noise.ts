/** A long compressed source that ffmpeg makes. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { resolveFfmpegPath } from '@audiosplit/engine/ffmpeg/binary';

const MAX_BYTES = 1_000_000_000;

/** Pink noise in stereo, MP3 at 128 kbit/s. FFMPEG_PATH chooses the encoder. */
export async function pinkNoise(seconds: number): Promise<Buffer> {
  const noise = `anoisesrc=r=44100:d=${seconds}:a=0.2:c=pink:seed=7,aformat=channel_layouts=stereo`;
  const output = '-c:a libmp3lame -b:a 128k -f mp3 pipe:1'.split(' ');
  const { stdout } = await promisify(execFile)(
    await resolveFfmpegPath(process.env.FFMPEG_PATH),
    ['-nostdin', '-v', 'error', '-f', 'lavfi', '-i', noise, ...output],
    { encoding: 'buffer', maxBuffer: MAX_BYTES },
  );
  return stdout;
}
