import { text } from 'node:stream/consumers';
import { id3v2Bytes } from '../../copy/tags/id3v2.ts';
import { canBeFlushed } from '../../ffmpeg/decoder-flush.ts';
import type { FfmpegRuntime } from '../../ffmpeg/run.ts';
import { type AudioStreamInfo, parseAudioStream } from '../../ffmpeg/stream-info.ts';
import { PCM_FORMATS } from '../../formats/formats.ts';
import { createLengthGuard } from '../../length-guard.ts';
import { flacSamples } from '../samples/file-samples.ts';
import { rifxDecoder } from '../samples/rifx-decoder.ts';
import { frameBytes, parseWavHeader, type StreamedWavHeader } from '../samples/wav-header.ts';
import { parseFfmetadata } from '../tags/tags.ts';
import { MAX_BLOCK_SAMPLES, readEndTrim, samplesByHead } from '../trim/end-trim.ts';
import { heAacPrimingSamples } from '../trim/he-aac-priming.ts';
import { findMoov, refuseOddMovie } from '../trim/movie-index.ts';
import { isWma, wmaPrimingSamples } from '../wma/wma-priming.ts';
import { decodableInput, trimmedCount } from './decodable-input.ts';
import { noAudio, openDecoder } from './decode.ts';
import type { ProbedSource, RawPcm } from './probed-source.ts';
import { bytesOfFile, type SourceBytes } from './source-bytes.ts';
import type { SourceFile } from './source-file.ts';
import type { FedSource } from './source-process.ts';
import type { StreamingSource } from './streaming-source.ts';

/**
 * Decodes the first frame, which shows everything except the length. Throws UNSUPPORTED_MEDIA if there is no
 * audio, or none in the beginning of a streaming source.
 */
export async function probeSource(
  runtime: FfmpegRuntime,
  source: SourceFile | StreamingSource,
): Promise<ProbedSource> {
  const isStreaming = 'beginning' in source;
  const bytes: SourceBytes = isStreaming ? source : bytesOfFile(source);
  const moov = source.container === 'mp4' ? await findMoov(bytes) : undefined;
  if (moov !== undefined) refuseOddMovie(moov);
  const input = isStreaming ? source.fed(source.beginning()) : source;
  const decoderName = await rifxDecoder(bytes);
  const shape = { decoder: decoderName, format: 'u8', sideOutput: 'tags', firstFrameOnly: true } as const;
  let tagText = Promise.resolve('');
  await using decoder = await openDecoder(runtime, input, shape, (stream) => {
    tagText = text(stream).catch(() => '');
  });
  const { sampleRateHz, channelCount } = decoder;
  for await (const _ of decoder.pcm);
  const description = decoder.stderr();
  const stream = parseAudioStream(description);
  if (stream === undefined) throw noAudio();
  const wav = await readWavHeader(bytes);
  const wavSeconds = wav && wav.claimedBytes / wav.bytesPerSecond;
  return {
    stream,
    sampleRateHz,
    channelCount,
    tags: parseFfmetadata(await tagText),
    claimedSeconds: parseDuration(description) ?? wavSeconds,
    claimedSamples:
      wavSeconds !== undefined && stream.codec.startsWith('pcm_')
        ? Math.round(wavSeconds * sampleRateHz)
        : await readClaimedSamples(bytes, sampleRateHz),
    trimEnd: await readEndTrim(bytes, sampleRateHz),
    primingSamples:
      wmaPrimingSamples({ stream, sampleRateHz }) ||
      (moov === undefined ? 0 : heAacPrimingSamples(moov, sampleRateHz)),
    decoder: decoderName,
    isOldWma: isWma(stream) && !(await canBeFlushed(runtime, 'wmav2')),
    rawPcm: wav && rawPcmOf(wav, stream),
  };
}

/** Parses `  Duration: 00:05:30.25, start:`; `N/A` if no header states it. */
function parseDuration(description: string): number | undefined {
  const match = /^ {2}Duration: (\d+):(\d\d):(\d\d\.\d+)/m.exec(description);
  if (match === null) return undefined;
  const [hours = 0, minutes = 0, seconds = 0] = match.slice(1).map(Number);
  const total = hours * 3600 + minutes * 60 + seconds;
  return total > 0 ? total : undefined;
}

async function readClaimedSamples(source: SourceBytes, sampleRateHz: number): Promise<number | undefined> {
  if (source.container === 'flac') {
    const start = id3v2Bytes(await source.head(0, ID3_HEADER_BYTES), 0);
    return flacSamples(await source.head(start, FLAC_HEAD_BYTES)) || undefined;
  }
  return samplesByHead(source, sampleRateHz);
}

const ID3_HEADER_BYTES = 10;
/** The bytes up to the number of samples in STREAMINFO. */
const FLAC_HEAD_BYTES = 26;

const WAV_HEAD_BYTES = 64 * 1024;
/** Values by writers that do not know the length yet. */
const STREAMED_BYTES = 0x7fff_0000;

/**
 * The length that the header of a WAV stream states, which ffmpeg does not print. Undefined if it states
 * none.
 */
async function readWavHeader(source: SourceBytes): Promise<StreamedWavHeader | undefined> {
  if (source.container !== 'wav') return undefined;
  const header = parseWavHeader(await source.head(0, WAV_HEAD_BYTES));
  if (header === undefined || header.claimedBytes === 0 || header.claimedBytes >= STREAMED_BYTES)
    return undefined;
  return header;
}

function rawPcmOf(wav: StreamedWavHeader, { codec }: AudioStreamInfo): RawPcm | undefined {
  const format = PCM_FORMATS.find((candidate) => codec === `pcm_${candidate}`);
  if (format === undefined) return undefined;
  // Samples in wider fields than necessary, or with gaps between them, are left to the decoder.
  if (wav.bytesPerSecond !== wav.sampleRateHz * frameBytes({ format, channelCount: wav.channelCount }))
    return undefined;
  return { format, startByte: wav.headerBytes, endByte: wav.headerBytes + wav.claimedBytes };
}

/**
 * The length of a source, found by decoding it completely. Stops as soon as it exceeds `maxDurationMs`, so
 * the allowance bounds the cost. Throws QUOTA_EXCEEDED, or UNSUPPORTED_MEDIA if there is no audio.
 */
export async function countSamples(
  runtime: FfmpegRuntime,
  source: SourceFile | FedSource,
  probed: ProbedSource,
  maxDurationMs: number | undefined,
): Promise<number> {
  const { input, surplusSamples } = decodableInput(runtime, source, probed);
  const priming = probed.primingSamples ?? 0;
  const shape = { decoder: probed.decoder, keepsPriming: priming > 0, format: 'u8' } as const;
  await using decoder = await openDecoder(runtime, input, shape);
  const refuse = createLengthGuard(maxDurationMs, probed.sampleRateHz);
  let bytes = -priming * decoder.channelCount;
  for await (const chunk of decoder.pcm) {
    bytes += chunk.length;
    refuse(bytes / decoder.channelCount - MAX_BLOCK_SAMPLES);
  }
  const decodedSamples = Math.floor(bytes / decoder.channelCount);
  if (decodedSamples <= 0) throw noAudio();
  const samples = await trimmedCount(probed, decodedSamples, surplusSamples(decodedSamples));
  refuse(samples);
  return samples;
}
