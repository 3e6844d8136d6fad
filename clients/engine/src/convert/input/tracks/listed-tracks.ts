/** The audio tracks of all other containers: ffmpeg lists them and copies the packets of one. */
import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { isolateArgv, listArgv } from '../../../ffmpeg/argv.ts';
import { FfmpegError, type FfmpegRuntime } from '../../../ffmpeg/run.ts';
import { type ListedAudioStream, parseAudioStreams } from '../../../ffmpeg/stream-info.ts';
import type { SourceContainer } from '../../../formats/formats.ts';
import { createLocalFileReader, type LocalFile } from '../../../source/local-file.ts';
import { noAudio } from '../decode.ts';
import { type FedSource, startOnSource } from '../source-process.ts';
import type { AudioTracks } from './audio-tracks.ts';
import { copyOggStream } from './ogg-tracks.ts';

/** ffmpeg lists at most a thousand streams, each with its tags. */
const MAX_LISTING_BYTES = 8 * 1024 * 1024;

export async function listedTracks(
  runtime: FfmpegRuntime,
  file: LocalFile,
  container: SourceContainer,
): Promise<AudioTracks> {
  const streams = await listStreams();
  return {
    languages: streams.map(({ language }) => (language === '' || language === 'und' ? undefined : language)),
    isolate: (index, path) => isolate(index, path),
  };

  async function listStreams(): Promise<readonly ListedAudioStream[]> {
    await using listing = await startOnSource(runtime, fed(), {
      argsFor: (sourceName) => listArgv({ container, sourceName }),
      feedEndsWithChild: true,
      stderrHeadBytes: MAX_LISTING_BYTES,
    });
    listing.child.stdout.resume();
    try {
      await listing.finish();
    } catch (error) {
      // ffmpeg reports that it has nothing to do, after it has described the input.
      if (!(error instanceof FfmpegError) || error.exitCode === null) throw error;
    }
    return parseAudioStreams(listing.child.stderr());
  }

  /** Every source here can be read as a stream, even an MP4: one that gets here is fragmented. */
  function fed(): FedSource {
    return { container, bytes: createLocalFileReader(file).chunks(), sizeBytes: file.sizeBytes };
  }

  async function isolate(index: number, path: string): Promise<LocalFile> {
    const stream = streams[index];
    if (stream === undefined) throw new RangeError('no such stream');
    if (container === 'ogg') return copyOggStream(file, stream.streamIndex, path, runtime.signal);
    const { muxer, encoder } = targetOf(container, stream);
    await using copying = await startOnSource(runtime, fed(), {
      argsFor: (sourceName) => isolateArgv({ container, sourceName }, { index, muxer, encoder }),
    });
    try {
      await pipeline(copying.child.stdout, createWriteStream(path), { signal: runtime.signal });
      await copying.finish();
    } catch (error) {
      throw error instanceof FfmpegError && error.exitCode !== null ? noAudio(error) : error;
    }
    return { path, sizeBytes: (await stat(path)).size };
  }
}

/**
 * Matroska holds everything except the PCM of discs, whose byte order differs. For AAC in a transport stream
 * it needs the configuration first, which no header of that stream contains, so such a track goes into a
 * transport stream.
 */
function targetOf(
  container: SourceContainer,
  { codec }: ListedAudioStream,
): { readonly muxer: 'matroska' | 'mpegts'; readonly encoder: string } {
  if (codec === 'pcm_bluray' || codec === 'pcm_dvd') return { muxer: 'matroska', encoder: 'pcm_s24le' };
  return { muxer: container === 'mpegts' ? 'mpegts' : 'matroska', encoder: 'copy' };
}
