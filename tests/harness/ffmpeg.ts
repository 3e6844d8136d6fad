/** The installation's decoder, for suites that generate audio with it. */
export { resolveFfmpegPath } from '@audiosplit/engine/ffmpeg/binary';
