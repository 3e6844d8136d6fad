/**
 * Segments under a byte ceiling, for formats where only encoding tells the size.
 *
 * The samples are encoded once, as one stream, and that is cut between its frames by the same splitters that
 * cut sources of the format: every file is filled to the last frame that fits, nothing is encoded twice, and
 * no encoder starts afresh at a seam. Ogg and FLAC go from the encoder to the splitter through a pipe; the
 * index of an m4a is only known at its end, so that one lies in the working folder first, which takes about
 * 72 MB an hour.
 *
 * Failure modes: an encoder or decoder that gives up fails the stream before its last segment is closed, and
 * segments that do not add up to the samples that went in are an error of ours.
 */
import { createReadStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type CopyContainer, createCopySplitter } from '../copy/copy-splitter.ts';
import type { EncodingName } from '../encoding.ts';
import { refuseTooMany } from '../plan.ts';
import type { Conversion } from './conversion.ts';
import { type EncodeJob, encodeStream, encodeWhole } from './encode.ts';
import { frameBytes } from './wav-header.ts';

const CONTAINERS: Readonly<Partial<Record<EncodingName, CopyContainer>>> = {
  flac: 'flac',
  ogg: 'ogg-vorbis',
  opus: 'ogg-opus',
  m4a: 'm4a',
};

/**
 * Encodes the samples from `conversion.start` on and hands them out in files of at most the limit. `pcm` gives
 * the source from its first sample on. Returns the number of segments, those before the start included.
 */
export async function repackSegments(conversion: Conversion, pcm: AsyncIterable<Buffer>): Promise<number> {
  const { options, encoding, start, totalSamples, probed } = conversion;
  const { runtime, cut } = options;
  const container = CONTAINERS[encoding.name];
  const split = container && createCopySplitter(container);
  if (split === undefined) throw new TypeError(`${encoding.name} is not cut after encoding`);
  const sampleCount = totalSamples - start.startSample;
  if (sampleCount === 0) return start.index;

  const outputDir = join(runtime.workDir, 'repacked');
  await mkdir(outputDir);
  const job: EncodeJob = {
    encoding,
    pcm: conversion.pcm,
    samples: samplesBetween(conversion, pcm),
    sampleCount,
    tags: probed.tags,
    cover: conversion.cover,
    maxFileSizeBytes: cut.mode === 'fileSize' ? cut.maxFileSizeBytes : undefined,
  };
  const encoded = encoding.name === 'm4a' ? wholeFile(conversion, job) : encodeStream(runtime, job);
  const result = await split(encoded, {
    cut,
    outputDir,
    signal: runtime.signal,
    onSegment: async (segment) => {
      const index = start.index + segment.index;
      refuseTooMany(index + 1);
      const startSample = start.startSample + segment.startSample;
      const planned = { index, startSample, sampleCount: segment.sampleCount };
      await conversion.handOut(planned, segment.path, segment.sizeBytes);
    },
    onBytes: () => undefined,
  });
  if (result.sourceSampleCount !== sampleCount) {
    throw new Error(`the segments hold ${result.sourceSampleCount} samples instead of ${sampleCount}`);
  }
  return start.index + result.segmentCount;
}

async function* wholeFile({ options }: Conversion, job: EncodeJob): AsyncGenerator<Buffer> {
  const path = await encodeWhole(options.runtime, job, `whole.${job.encoding.extension}`);
  try {
    yield* createReadStream(path, { highWaterMark: 256 * 1024 });
  } finally {
    await rm(path, { force: true });
  }
}

/** What is to be encoded, and not a sample more: the decoder may give the padding of its last block as well. */
async function* samplesBetween(conversion: Conversion, pcm: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const { options, start, totalSamples } = conversion;
  const blockBytes = frameBytes(conversion.pcm);
  const startByte = start.startSample * blockBytes;
  const endByte = totalSamples * blockBytes;
  let position = 0;
  for await (const chunk of pcm) {
    const wanted = chunk.subarray(Math.max(0, startByte - position), Math.max(0, endByte - position));
    position += chunk.length;
    if (wanted.length > 0) yield wanted;
    options.progress(ENCODING_SHARE * Math.min(position, endByte), endByte);
    if (position >= endByte) return;
  }
  throw new Error(`the source ended before sample ${totalSamples}`);
}

/** Of the work; the rest is for the segments, which are handed out while or after the source is encoded. */
const ENCODING_SHARE = 0.9;
