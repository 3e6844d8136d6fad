/** A splitter: its own worker, lease keeper, archive of pieces and uploads, on simulated ports and a simulated engine. */
import { createCaller } from '@audiosplit/chassis/rpc/client';
import { JobLeaseService } from '@audiosplit/proto/jobs/v1/jobs';
import { DIVISION } from '@audiosplit/splitter/media/parts/plan-parts';
import { startWorker } from '@audiosplit/splitter/work/worker';
import { breakStore } from './flaws.ts';
import type { Installation } from './installation.ts';
import { crash } from './jobs-process.ts';
import { createSimulatedEngine } from './simulated-engine.ts';
import type { SimulatedProcess } from './simulated-process.ts';

const SLOTS = 2;
/** In place of twice a second, which would be most of what a run does. */
const CHECK_LEASES_EVERY_MS = 5_000;
/** In place of every two seconds, likewise. */
const LOOK_FOR_OFFERS_EVERY_MS = 20_000;

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
    checkLeasesEveryMs: CHECK_LEASES_EVERY_MS,
    lookForOffersEveryMs: LOOK_FOR_OFFERS_EVERY_MS,
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
      split: createSimulatedEngine(world),
      division: DIVISION,
      scratchDir,
      ffmpegPath: '',
      log,
    },
  });
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
