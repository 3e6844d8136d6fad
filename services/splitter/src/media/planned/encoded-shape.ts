/** What pieces are encoded to, and how large their files become. */
import type { ProbedSource } from '../convert/input/probed-source.ts';
import { bytesOfFile } from '../convert/input/source-bytes.ts';
import type { SourceFile } from '../convert/input/source-file.ts';
import { samplesWithin } from '../convert/segment-borders.ts';
import { readCover } from '../convert/tags/cover.ts';
import { canHoldCover } from '../convert/tags/embed-cover.ts';
import { MAX_TAG_BYTES } from '../cuts/cut-rule.ts';
import type { SizeModel } from '../cuts/planned/caps.ts';
import { chooseEncoding, type EncodingRequest } from '../formats/chosen-encoding.ts';
import { type Encoding, workingShape } from '../formats/encoding.ts';
import { bitsPerSecond } from '../formats/estimate-size.ts';
import type { PcmShape } from '../formats/formats.ts';
import { createConstantSizeModel } from './size-model.ts';

export interface EncodedShape {
  readonly encoding: Encoding;
  readonly pcm: PcmShape;
}

export interface EncodedSizes {
  readonly model: SizeModel;
  /** No file is larger than the model says; otherwise it is about as large. */
  readonly areExact: boolean;
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
): Promise<EncodedSizes> {
  const cover = canHoldCover(encoding.name) ? await readCover(bytesOfFile(file), MAX_TAG_BYTES) : undefined;
  const samples = (byteCount: number) => samplesWithin({ encoding, pcm, probed, cover }, byteCount);
  const areExact = samples(Number.MAX_SAFE_INTEGER) !== undefined;
  const bytesPerSecond = bitsPerSecond(encoding, pcm) / 8;
  const model = createConstantSizeModel((byteCount) =>
    areExact ? (samples(byteCount) ?? 0) / pcm.sampleRateHz : byteCount / bytesPerSecond,
  );
  return { model, areExact };
}
