import { buffer } from 'node:stream/consumers';
import { bytesOfFile, type SourceBytes } from '../../src/convert/input/source-bytes.ts';
import { auSamples } from '../../src/convert/samples/au-samples.ts';
import { rifxDecoder } from '../../src/convert/samples/rifx-decoder.ts';
import { parseWavHeader } from '../../src/convert/samples/wav-header.ts';
import { readCover } from '../../src/convert/tags/cover.ts';
import { embedCover } from '../../src/convert/tags/embed-cover.ts';
import { readEndTrim } from '../../src/convert/trim/end-trim.ts';
import { m4aSampleCount, setExactDuration } from '../../src/convert/trim/m4a-duration.ts';
import { setExactPadding } from '../../src/convert/trim/mp3-padding.ts';
import { createOggPageFilter } from '../../src/convert/trim/ogg-page-filter.ts';
import { withSilentFrame } from '../../src/convert/wma/last-frame.ts';
import { wmaProPadding } from '../../src/convert/wma/wma-pro-end.ts';
import { CRC_AT, pageChecksum, pageLength } from '../../src/copy/ogg/page-reader.ts';
import { DECODERS } from '../../src/ffmpeg/demuxers.ts';
import type { SourceContainer } from '../../src/formats/formats.ts';
import { createPcmFile } from '../../src/testing/pcm-files.ts';
import { createCase, type FuzzCase } from '../engine/fuzz-case.ts';
import { assertHolds } from '../engine/fuzz-target.ts';
import { anyOf } from '../grammars/any.ts';
import { EBML } from '../grammars/ebml.ts';
import { words } from '../grammars/grammar.ts';
import { MP4 } from '../grammars/mp4.ts';
import { OGG } from '../grammars/ogg.ts';
import { RIFF } from '../grammars/riff.ts';
import { SYNC_FRAMES } from '../grammars/sync-frames.ts';
import { allSeeds } from '../seeds/all.ts';
import { flacSeeds } from '../seeds/flac.ts';
import { PICTURE, richTags } from '../seeds/id3.ts';
import { m4aSeeds, movieSeeds } from '../seeds/m4a.ts';
import { matroskaWmaSeeds } from '../seeds/matroska.ts';
import { mp3Seeds } from '../seeds/mpeg.ts';
import { vorbisSeeds } from '../seeds/ogg.ts';
import { wavSeeds } from '../seeds/wav.ts';
import { WMA_PRO_FORMAT_BYTES, wmaProSeeds } from '../seeds/wma-pro.ts';
import { allowingPlainErrors, fileParserTarget, parserTarget } from './parser-target.ts';

const RATE_HZ = 8_000;

export const WAV_HEADER = parserTarget('wav-header', RIFF, wavSeeds, ({ source }) => {
  const header = parseWavHeader(source);
  assertHolds(
    header === undefined || header.headerBytes <= source.length,
    'the samples begin within the bytes',
  );
});

/** Of AU and of RIFX. */
export const PCM_HEADS = parserTarget('pcm-heads', RIFF, pcmSeeds, async ({ source }) => {
  const open = (container: SourceContainer): SourceBytes => ({
    container,
    head: async (start, length) => source.subarray(start, start + length),
    tail: async (length) => source.subarray(-length),
  });
  const sampleCount = await auSamples(open('au'));
  assertHolds(sampleCount === undefined || sampleCount > 0, 'there are samples, or nothing is known of them');
  const decoder = await rifxDecoder(open('uncommon-wav'));
  assertHolds(decoder === undefined || DECODERS.split(',').includes(decoder), 'the decoder may be opened');
});

function pcmSeeds(): readonly Buffer[] {
  const spec = { sampleCount: 3, channelCount: 1, sampleRateHz: RATE_HZ };
  return ([16, 24] as const).flatMap((bits) =>
    (['rifx', 'au', 'wav with data before fmt'] as const).map((kind) =>
      createCase(createPcmFile(kind, { ...spec, bits })),
    ),
  );
}

const LARGEST_PAGE_SAMPLES = 255 * 8_192;

export const OGG_PAGE_FILTER = parserTarget('ogg-page-filter', OGG, vorbisSeeds, async (fuzzCase) => {
  const filter = createOggPageFilter(fuzzCase.chunks());
  let byteCount = 0;
  for await (const page of filter.bytes) {
    assertHolds(readSinglePage(page), 'what passes is a page');
    byteCount += page.length;
  }
  assertHolds(byteCount <= fuzzCase.source.length, 'nothing is added');
  const surplus = filter.surplusSamples();
  assertHolds(surplus >= 0 && surplus <= LARGEST_PAGE_SAMPLES, 'the surplus lies in the last page');
});

function readSinglePage(bytes: Uint8Array): boolean {
  const page = Buffer.from(bytes);
  return pageLength(page, 0) === page.length && pageChecksum(page) === page.readUInt32LE(CRC_AT);
}

/** Two of the longest blocks that are dropped, the silent one, and their headers. */
const MOST_ADDED_BYTES = 3 * 65_535 + 1024;

export const WMA_LAST_FRAME = parserTarget('wma-last-frame', EBML, matroskaWmaSeeds, async (fuzzCase) => {
  const { source } = fuzzCase;
  const inChunks = await buffer(withSilentFrame(fuzzCase.chunks(), () => undefined));
  assertHolds(source.equals(inChunks.subarray(0, source.length)), 'the source stays as it is');
  assertHolds(inChunks.length <= source.length + MOST_ADDED_BYTES, 'little is added');
});

export const WMA_PRO_END = parserTarget('wma-pro-end', anyOf([]), wmaProSeeds, ({ source }) => {
  const format = source.subarray(0, WMA_PRO_FORMAT_BYTES);
  const bytes = source.subarray(WMA_PRO_FORMAT_BYTES);
  // Zero samples and a stream of zero bytes pass as whole frames and whole blocks.
  const padding = wmaProPadding(format, { bytes, totalBytes: 0 }, 0);
  assertHolds(
    Number.isSafeInteger(padding) && padding >= 0 && padding < 2 ** 14,
    'less than a frame is left out',
  );
});

export const M4A_SAMPLES = parserTarget('m4a-samples', MP4, movieSeeds, ({ source }) => {
  const sampleCount = m4aSampleCount(source);
  assertHolds(sampleCount === undefined || sampleCount >= 0, 'there are no fewer samples than none');
});

export const M4A_DURATION = fileParserTarget('m4a-duration', MP4, m4aSeeds, (path, { parameter }) =>
  allowingPlainErrors(() => setExactDuration(path, parameter, RATE_HZ)),
);

export const MP3_PADDING = fileParserTarget('mp3-padding', SYNC_FRAMES, mp3Seeds, (path, { parameter }) =>
  allowingPlainErrors(() => setExactPadding(path, parameter)),
);

/** In the order of `allSeeds`. */
const SOURCE_KINDS: readonly SourceContainer[] = ['mp3', 'flac', 'mp4', 'ogg'];
/** A parameter that stands for the kind and for a number that is large enough at the same time. */
const LARGE_PARAMETER = 400;

function sourceSeeds(): readonly Buffer[] {
  return allSeeds((kind) => LARGE_PARAMETER + kind);
}

const COVER_WORDS = words('\u00ff\u00d8\u00ff', '\u0089PNG\r\n\u001a\n', 'APIC', 'covr');

export const SOURCE_COVER = fileParserTarget(
  'source-cover',
  anyOf(COVER_WORDS),
  sourceSeeds,
  async (path, fuzzCase) => {
    const maxBytes = fuzzCase.parameter * 16;
    const cover = await readCover(openSource(path, fuzzCase), maxBytes);
    assertHolds(cover === undefined || cover.bytes.length <= maxBytes, 'a cover fits');
  },
);

export const END_TRIM = fileParserTarget('end-trim', anyOf([]), sourceSeeds, async (path, fuzzCase) => {
  const decoded = fuzzCase.parameter * 4;
  const trimEnd = await readEndTrim(openSource(path, fuzzCase), RATE_HZ);
  const audible = await trimEnd(decoded);
  assertHolds(
    Number.isSafeInteger(audible) && audible >= 0 && audible <= decoded,
    'audible audio was decoded',
  );
});

function openSource(path: string, { source, parameter }: FuzzCase): SourceBytes {
  const container = SOURCE_KINDS[parameter % SOURCE_KINDS.length] ?? 'mp3';
  return bytesOfFile({ path, name: 'source', container, sizeBytes: source.length });
}

const COVER_KINDS = ['mp3', 'flac', 'm4a'] as const;

export const EMBED_COVER = parserTarget('embed-cover', anyOf([]), encodedFiles, (fuzzCase) => {
  const encoding = COVER_KINDS[fuzzCase.parameter % COVER_KINDS.length] ?? 'mp3';
  const cover = { mimeType: 'image/jpeg', bytes: PICTURE } as const;
  return allowingPlainErrors(async () => {
    let byteCount = 0;
    const { signal } = new AbortController();
    for await (const part of embedCover(encoding, cover, fuzzCase.chunks(), signal)) byteCount += part.length;
    assertHolds(byteCount > PICTURE.length, 'the cover is in the file');
  });
});

function encodedFiles(): readonly Buffer[] {
  const tagged = richTags().map((tag) => Buffer.concat([tag, Buffer.alloc(100, 1)]));
  const sourcesOf = (seeds: readonly Buffer[]): readonly Buffer[] => seeds.map((seed) => seed.subarray(16));
  return [tagged, sourcesOf(flacSeeds()), sourcesOf(m4aSeeds())].flatMap((sources, kind) =>
    sources.map((source) => createCase(source, { parameter: kind })),
  );
}
