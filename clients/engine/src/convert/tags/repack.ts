/**
 * Segments with a byte ceiling, for formats whose size only encoding shows.
 *
 * The samples are encoded once, as one stream. The splitters that cut sources of the format then cut this
 * stream between its frames: every file is filled to the last frame that fits, nothing is encoded twice, and
 * no encoder restarts at a seam. Ogg and FLAC go from the encoder to the splitter through a pipe. The index
 * of an m4a is only known at its end, so an m4a is first stored in the working folder, which takes about 72
 * MB per hour.
 *
 * Failures: if an encoder or decoder gives up, the stream fails before its last segment is closed. If the
 * segments do not add up to the encoded samples, that is an error of the engine.
 */
import { createReadStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type CopyContainer, createCopySplitter } from '../../copy/copy-splitter.ts';
import { refuseTooMany } from '../../cuts/plan.ts';
import type { EncodingName } from '../../formats/encoding.ts';
import { type Conversion, handOut, type SampleChunks } from '../conversion.ts';
import { type EncodeJob, encodeStream, encodeWhole } from '../encode/encode.ts';
import { frameBytes } from '../samples/wav-header.ts';
import { leadInSamples } from '../trim/m4a-duration.ts';

const CONTAINERS: Readonly<Partial<Record<EncodingName, CopyContainer>>> = {
  flac: 'flac',
  ogg: 'ogg-vorbis',
  opus: 'ogg-opus',
  m4a: 'm4a',
};

/**
 * Encodes the samples from `conversion.start` on, where `samples` begins, and hands them out in files of at
 * most the limit. Returns the number of segments, including those before the start.
 */
export async function repackSegments(conversion: Conversion, samples: SampleChunks): Promise<number> {
  const { options, encoding, start, pcm, expectedSamples } = conversion;
  const { runtime, cut, tagsOf } = options;
  const container = CONTAINERS[encoding.name];
  const split = container && createCopySplitter(container);
  if (split === undefined) throw new TypeError(`${encoding.name} is not cut after encoding`);
  const chunks = samples.chunks[Symbol.asyncIterator]();
  const first = await chunks.next();
  if (first.done === true) return start.index;

  let byteCount = 0;
  const leadIn =
    encoding.name === 'm4a' && expectedSamples !== undefined
      ? leadInSamples(Math.max(0, expectedSamples - start.startSample))
      : 0;
  async function* counted(): AsyncGenerator<Buffer> {
    if (leadIn > 0) yield Buffer.alloc(leadIn * frameBytes(pcm));
    for (let next = first; next.done !== true; next = await chunks.next()) {
      byteCount += next.value.length;
      yield next.value;
      conversion.progress.encoded(start.startSample + byteCount / frameBytes(pcm));
    }
  }
  const job: EncodeJob = {
    encoding,
    pcm,
    input: { kind: 'chunks', chunks: counted(), free: samples.free },
    leadIn,
    mostSamples: undefined,
    tags: conversion.probed.tags,
    cover: conversion.cover,
  };
  const outputDir = join(runtime.workDir, 'repacked');
  await mkdir(outputDir);
  const encoded = encoding.name === 'm4a' ? wholeFile(conversion, job) : encodeStream(runtime, job);
  try {
    const result = await split(encoded, {
      cut,
      outputDir,
      signal: runtime.signal,
      ...(tagsOf && { tagsOf: (index: number) => tagsOf(start.index + index) }),
      onSegment: async (segment) => {
        const index = start.index + segment.index;
        refuseTooMany(index + 1);
        const startSample = start.startSample + segment.startSample;
        const planned = { index, startSample, sampleCount: segment.sampleCount };
        await handOut(conversion, planned, segment.path, segment.sizeBytes);
      },
      onBytes: () => undefined,
    });
    const sampleCount = byteCount / frameBytes(pcm);
    if (result.sourceSampleCount !== sampleCount) {
      throw new Error(`the segments hold ${result.sourceSampleCount} samples instead of ${sampleCount}`);
    }
    return start.index + result.segmentCount;
  } catch (error) {
    // The encoder may be waiting for samples that have not arrived yet.
    options.stop(error);
    throw error;
  } finally {
    // The splitter leaves it without waiting for its end.
    await encoded.return(undefined).catch(() => undefined);
  }
}

async function* wholeFile({ options }: Conversion, job: EncodeJob): AsyncGenerator<Buffer> {
  const fileName = `whole.${job.encoding.extension}`;
  const path = join(options.runtime.workDir, fileName);
  try {
    await encodeWhole(options.runtime, job, fileName);
    yield* createReadStream(path, { highWaterMark: 256 * 1024 });
  } finally {
    await rm(path, { force: true });
  }
}
