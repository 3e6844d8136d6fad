/**
 * Makes the golden sources and `vectors.json`.
 *
 *   node --conditions=audiosplit-source clients/engine/suites/golden/make-vectors.ts
 *
 * What is expected of the engine comes from definitions (the generator's samples, the rules of the cut, the layout
 * of a wav file), never from what the engine does. Says which files have changed, and ends with 1 if any has: the
 * ffmpeg that npm brings makes the same bytes each time, on processors alike.
 */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runFfmpeg } from '../../src/copy/testing/ffmpeg.ts';
import { createWave } from './containers.ts';
import { cutByDuration, cutWave, sha256 } from './expectations.ts';
import { fileName, RECIPES, type Recipe } from './recipes.ts';
import { createSound, encodePcm, SAMPLE_BYTES, type Sound, widen } from './sound.ts';
import { type ExpectedSegment, type Plan, SOURCES_URL, type Vector } from './vectors.ts';

const MAX_SOURCE_BYTES = 20_480;
const MAX_TOTAL_BYTES = 400_000;
const PLAIN_WAVE_HEADER_BYTES = 44;
/** Formats other than plain PCM state their samples in a `fact` chunk of their own (RIFF WAVE). */
const FACT_CHUNK_BYTES = 12;
const COMPARED_SAMPLE_BYTES = 4;

/** Leaves no versions, times or random serial numbers in a file. */
const REPEATABLE = ['-fflags', '+bitexact', '-flags', '+bitexact', '-threads', '1'];

async function pack(recipe: Recipe, sound: Sound): Promise<Buffer> {
  if (recipe.pack.kind === 'wave') return createWave(sound, recipe.pcm, recipe.pack.options);
  const dir = await mkdtemp(join(tmpdir(), 'audiosplit-golden-'));
  try {
    const path = join(dir, `source.${recipe.extension}`);
    const shape = ['-ar', String(recipe.sampleRateHz), '-ac', String(recipe.channelCount)];
    const input = ['-f', recipe.pcm, ...shape, '-i', 'pipe:0'];
    await runFfmpeg([...input, ...recipe.pack.args, ...REPEATABLE, path], encodePcm(sound, recipe.pcm));
    const file = await readFile(path);
    return recipe.pack.rework?.(file) ?? file;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

function describe(recipe: Recipe, sound: Sound, file: Buffer): Vector {
  const { name, sampleRateHz, channelCount, judgement, pcm } = recipe;
  const sampleCount = recipe.heldSamples?.(file) ?? recipe.sampleCount;
  const samples = judgement === 'lossless' ? widen(encodePcm(sound, pcm), pcm) : undefined;
  return {
    name,
    file: fileName(recipe),
    sha256: sha256(file),
    sampleRateHz,
    channelCount,
    sampleCount,
    judgement,
    comparedAs: judgement === 'lossless' && pcm !== 'f32le' ? 's32le' : 'f32le',
    cutTolerance: recipe.cutTolerance ?? 0,
    ...(samples === undefined ? {} : { samplesSha256: sha256(samples) }),
    plans: recipe.plans.map((plan): Plan => {
      const segments = expectSegments(recipe, plan, sampleCount);
      if (segments === undefined) return plan;
      const origin = { recipe, sound, samples, plan };
      return { ...plan, segments: segments.map((segment) => withHashes(segment, origin)) };
    }),
  };
}

function expectSegments(
  { pack: packing, pcm, channelCount, sampleRateHz }: Recipe,
  { cut, outputFormat }: Plan,
  sampleCount: number,
): readonly ExpectedSegment[] | undefined {
  if (cut.mode === 'duration') return cutByDuration(sampleCount, sampleRateHz, cut.segmentDurationSeconds);
  if (packing.kind !== 'wave' || packing.options.isExtensible || outputFormat !== undefined) return undefined;
  const headerBytes = PLAIN_WAVE_HEADER_BYTES + (pcm === 'f32le' ? FACT_CHUNK_BYTES : 0);
  return cutWave(sampleCount, channelCount * SAMPLE_BYTES[pcm], headerBytes, cut.maxFileSizeBytes);
}

interface SegmentOrigin {
  readonly recipe: Recipe;
  readonly sound: Sound;
  /** Undefined if the source does not keep them exactly. */
  readonly samples: Buffer | undefined;
  readonly plan: Plan;
}

function withHashes(
  segment: ExpectedSegment,
  { recipe, sound, samples, plan }: SegmentOrigin,
): ExpectedSegment {
  if (samples === undefined) return segment;
  const { startSample, sampleCount } = segment;
  const { channelCount, pack: packing, pcm } = recipe;
  const width = COMPARED_SAMPLE_BYTES * channelCount;
  const samplesSha256 = sha256(samples.subarray(startSample * width, (startSample + sampleCount) * width));
  const isPlainWave = packing.kind === 'wave' && !packing.options.isExtensible && pcm !== 'f32le';
  if (!isPlainWave || plan.outputFormat !== undefined) return { ...segment, samplesSha256 };
  const part = sound.samples.subarray(startSample * channelCount, (startSample + sampleCount) * channelCount);
  const file = createWave({ ...sound, sampleCount, samples: part }, pcm);
  return { ...segment, samplesSha256, sizeBytes: file.length, fileSha256: sha256(file) };
}

/** Returns whether the file was there and the same. */
async function write(url: URL, contents: Buffer): Promise<boolean> {
  const before = await readFile(url).catch(() => undefined);
  if (before?.equals(contents)) return true;
  await writeFile(url, contents);
  process.stdout.write(`${before === undefined ? 'new' : 'changed'}: ${fileURLToPath(url)}\n`);
  return false;
}

await mkdir(SOURCES_URL, { recursive: true });
const vectors: Vector[] = [];
let totalBytes = 0;
let isUnchanged = true;
for (const recipe of RECIPES) {
  const sound = createSound(recipe.sampleRateHz, recipe.channelCount, recipe.sampleCount);
  const file = await pack(recipe, sound);
  if (file.length > MAX_SOURCE_BYTES) throw new Error(`${recipe.name} has ${file.length} bytes`);
  totalBytes += file.length;
  isUnchanged = (await write(new URL(fileName(recipe), SOURCES_URL), file)) && isUnchanged;
  vectors.push(describe(recipe, sound, file));
}
if (totalBytes > MAX_TOTAL_BYTES) throw new Error(`the sources have ${totalBytes} bytes`);
const json = Buffer.from(`${JSON.stringify(vectors, undefined, 2)}\n`);
isUnchanged = (await write(new URL('vectors.json', import.meta.url), json)) && isUnchanged;
for (const name of await readdir(SOURCES_URL)) {
  if (vectors.some((vector) => vector.file === name)) continue;
  await rm(new URL(name, SOURCES_URL));
  process.stdout.write(`removed: ${name}\n`);
  isUnchanged = false;
}
process.stdout.write(
  `${vectors.length} sources, ${totalBytes} bytes, ${isUnchanged ? 'as before' : 'changed'}\n`,
);
if (!isUnchanged) process.exitCode = 1;
