/**
 * Extracts one audio track of a source with several into a file that every route accepts like any other
 * source.
 *
 * Nothing is encoded. In MP4 and Matroska the other tracks are hidden in a copy of the file, so the samples
 * of the chosen track, and the way to copy it, stay the same. From Ogg, the pages of the one stream are
 * taken. From all other containers ffmpeg copies the packets into Matroska, which is converted, as those
 * containers are.
 *
 * Failures: no such track (NO_SUCH_TRACK, with a list of the tracks), no audio at all (UNSUPPORTED_MEDIA).
 */
import { join } from 'node:path';
import type { FfmpegRuntime } from '../../ffmpeg/run.ts';
import type { SourceContainer } from '../../formats/formats.ts';
import { noSuchTrack } from '../../media-error.ts';
import type { SniffedSource } from '../../sniff/sniff.ts';
import type { LocalFile } from '../../source/local-file.ts';
import { noAudio } from './decode.ts';
import type { AudioTracks } from './tracks/audio-tracks.ts';
import { describeTracks } from './tracks/describe-tracks.ts';
import { isSameLanguage } from './tracks/language.ts';
import { listedTracks } from './tracks/listed-tracks.ts';
import { matroskaTracks } from './tracks/matroska-tracks.ts';
import { mp4Tracks } from './tracks/mp4-tracks.ts';

const FILE_NAME = 'chosen-track';

/**
 * `track`: an index from 0 among the audio tracks, or an ISO 639 code, of which the first match is used.
 * Returns the source itself if it has no other track, otherwise a file in the working folder, which must be
 * sniffed again.
 */
export async function selectAudioTrack(
  runtime: FfmpegRuntime,
  file: LocalFile,
  { container }: Pick<SniffedSource, 'container'>,
  track: number | string,
): Promise<LocalFile> {
  const tracks = await audioTracks(runtime, file, container);
  const { languages } = tracks;
  if (languages.length === 0) throw noAudio();
  const index =
    typeof track === 'number' ? track : languages.findIndex((language) => isSameLanguage(track, language));
  if (!(index in languages)) throw noSuchTrack(track, describeTracks(languages));
  return languages.length === 1 ? file : tracks.isolate(index, join(runtime.workDir, FILE_NAME));
}

async function audioTracks(
  runtime: FfmpegRuntime,
  file: LocalFile,
  container: SourceContainer,
): Promise<AudioTracks> {
  switch (container) {
    case 'mp4':
      return (await mp4Tracks(file)) ?? listedTracks(runtime, file, container);
    case 'matroska':
      return (await matroskaTracks(file)) ?? listedTracks(runtime, file, container);
    case 'ogg':
    case 'mpegts':
    case 'mpegps':
    case 'avi':
    case 'asf':
    case 'flv':
      return listedTracks(runtime, file, container);
    default:
      // All others hold one track.
      return { languages: [undefined], isolate: async () => file };
  }
}
