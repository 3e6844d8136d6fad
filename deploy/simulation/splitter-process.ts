/**
 * A splitter: its own worker, lease keeper and uploads. In the place of the engine stands one that takes as long, hands
 * out segments, and fails now and then as sources and engines do.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createCaller } from '@audiosplit/chassis/rpc/client';
import { JobLeaseService } from '@audiosplit/proto/jobs/v1/jobs';
import { MediaError, type SplitOptions, type SplitResult } from '@audiosplit/splitter/media/media';
import { startWorker } from '@audiosplit/splitter/work/worker';
import { breakStore } from './flaws.ts';
import type { Installation } from './installation.ts';
import { crash } from './jobs-process.ts';
import type { SimulatedProcess } from './simulated-process.ts';
import type { World } from './world.ts';

const SLOTS = 2;
const SAMPLE_RATE_HZ = 1_000;
const SEGMENT_BYTES = 64;

export async function startSplitterProcess(
  installation: Installation,
  process: SimulatedProcess,
): Promise<void> {
  const { log, clock, internalSecret, network, world, scratchDir } = installation;
  const caller = createCaller({ service: 'splitter', internalSecret, clock });
  await startWorker({
    bus: installation.bus.connect(process),
    workerId: `${process.name}-${world.nowMs()}`,
    concurrency: SLOTS,
    drainGraceMs: 0,
    onCrash: crash,
    runner: {
      leases: caller.client(JobLeaseService, network.addressOf('jobs')),
      store: breakStore(installation.store, installation.flaw),
      openSource: async () => ({
        fileName: 'talk.mp3',
        body: nothing(),
        bytesRead: () => 0,
        async [Symbol.asyncDispose]() {},
      }),
      split: (options) => split(world, options),
      scratchDir,
      ffmpegPath: '',
      log,
    },
  });
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

async function split(world: World, options: SplitOptions): Promise<SplitResult> {
  const { random } = world;
  const { signal } = options;
  const count = random.between(1, 3);
  const segmentMs = random.between(1, 12) * 60_000 + random.between(1, 999);
  const failsAt = random.chance(0.08) ? random.between(0, count - 1) : count;
  const isMediaFault = random.chance(0.5);
  if (options.maxSourceDurationMs !== undefined && segmentMs * count > options.maxSourceDurationMs)
    throw new MediaError('QUOTA_EXCEEDED', 'The source is longer than what is left.');
  for (let index = 0; index < count; index++) {
    await world.delay(random.between(500, 20_000));
    signal.throwIfAborted();
    if (index === failsAt) {
      if (isMediaFault) throw new MediaError('UNSUPPORTED_MEDIA', 'This is not audio.');
      throw new Error('the engine broke (injected)');
    }
    const path = join(options.scratchDir, `${index}.mp3`);
    await writeFile(path, Buffer.alloc(SEGMENT_BYTES));
    await options.onSegment({
      index,
      path,
      extension: 'mp3',
      contentType: 'audio/mpeg',
      startSample: index * segmentMs,
      sampleCount: segmentMs,
      sampleRateHz: SAMPLE_RATE_HZ,
      sizeBytes: SEGMENT_BYTES,
    });
    options.onProgress((index + 1) / count);
  }
  return {
    outputFormat: 'mp3',
    segmentCount: count,
    sourceSampleCount: segmentMs * count,
    sourceSampleRateHz: SAMPLE_RATE_HZ,
    sourceSizeBytes: count * SEGMENT_BYTES,
  };
}
