/** What pieces are encoded to, and the sizes of their files. */
import type { CutRequest } from '@audiosplit/cuts/cut-request';
import type { SizeModel } from '@audiosplit/cuts/plan/caps';
import type { ProbedSource } from '../convert/input/probed-source.ts';
import { bytesOfFile } from '../convert/input/source-bytes.ts';
import type { SourceFile } from '../convert/input/source-file.ts';
import { samplesWithin } from '../convert/segment-borders.ts';
import { type Cover, readCover } from '../convert/tags/cover.ts';
import { canHoldCover } from '../convert/tags/embed-cover.ts';
import type { SegmentTags } from '../copy/copy-contract.ts';
import { MAX_SEGMENTS, plainCutOfDryRun } from '../cuts/cut.ts';
import { MAX_TAG_BYTES } from '../cuts/cut-rule.ts';
import { chooseEncoding, type EncodingRequest } from '../formats/chosen-encoding.ts';
import { type Encoding, workingShape } from '../formats/encoding.ts';
import { bitsPerSecond } from '../formats/estimate-size.ts';
import type { PcmShape } from '../formats/formats.ts';
import { createConstantSizeModel } from './size-model.ts';

/** 500 characters of four bytes, and the number of a divided piece. */
const NUMBER_BYTES = 14;
const MAX_TITLE_BYTES = 500 * 4 + NUMBER_BYTES;

export interface EncodedShape {
  readonly encoding: Encoding;
  readonly pcm: PcmShape;
}

export interface EncodedSizes {
  readonly model: SizeModel;
  /** No file exceeds the model's size; otherwise the size is approximate. */
  readonly areExact: boolean;
  /** The tags that every segment may carry. */
  readonly cover: Cover | undefined;
}

/** Throws ENCODING_UNSUPPORTED. */
export function encodedShape(output: EncodingRequest, file: SourceFile, probed: ProbedSource): EncodedShape {
  const { encoding } = chooseEncoding(file.container, probed, output);
  return { encoding, pcm: workingShape(encoding, probed) };
}

export async function sizesOf(
  { encoding, pcm }: EncodedShape,
  file: SourceFile,
  probed: ProbedSource,
  request: CutRequest,
): Promise<EncodedSizes> {
  const cover = canHoldCover(encoding.name) ? await readCover(bytesOfFile(file), MAX_TAG_BYTES) : undefined;
  const longest: SegmentTags = {
    title: longestTitle(request),
    track: MAX_SEGMENTS,
    trackCount: MAX_SEGMENTS,
  };
  const isPlain = plainCutOfDryRun(request) !== undefined;
  const tagsOf = (index: number) => (index === 0 && !isPlain ? longest : undefined);
  const samples = memoize((byteCount) => samplesWithin({ encoding, pcm, probed, cover, tagsOf }, byteCount));
  const areExact = samples(Number.MAX_SAFE_INTEGER) !== undefined;
  const bytesPerSecond = bitsPerSecond(encoding, pcm) / 8;
  const model = createConstantSizeModel((byteCount) =>
    areExact ? (samples(byteCount) ?? 0) / pcm.sampleRateHz : byteCount / bytesPerSecond,
  );
  return { model, areExact, cover };
}

/** For a divided piece, ` (9999/9999)` included. The source's own chapters are not known yet. */
function longestTitle(request: CutRequest): string | undefined {
  if (request.splitMode === 'chapters' && !request.chapters?.length) return 'x'.repeat(MAX_TITLE_BYTES);
  const titled = request.splitMode === 'ranges' ? request.ranges : undefined;
  const titles = (request.splitMode === 'chapters' ? request.chapters : titled)?.map(
    ({ title = '' }) => title,
  );
  const bytes = Math.max(0, ...(titles ?? []).map((title) => Buffer.byteLength(title)));
  return bytes === 0 ? undefined : 'x'.repeat(bytes + NUMBER_BYTES);
}

function memoize<V>(compute: (value: number) => V): (value: number) => V {
  const known = new Map<number, V>();
  return (value) => {
    if (!known.has(value)) known.set(value, compute(value));
    return known.get(value) as V;
  };
}
