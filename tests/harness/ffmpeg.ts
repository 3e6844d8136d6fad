/** The decoder of the installation, for suites that make audio with it. */
export { resolveFfmpegPath } from '@audiosplit/engine/ffmpeg/binary';
