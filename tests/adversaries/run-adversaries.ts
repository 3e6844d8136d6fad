/**
 * Runs each adversary in turn together with the innocent account, in alternating blocks, so that slow changes
 * of the machine affect both sides of a ratio.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Values } from '../../deploy/provision/options.ts';
import { openRun, type Run } from '../harness/command/run.ts';
import { ADVERSARIES } from './adversaries/catalog.ts';
import type { Adversary } from './adversary.ts';
import { startAttack } from './attack/start-attack.ts';
import type { COMMAND } from './command-line.ts';
import { type Innocent, openInnocent } from './innocent.ts';
import { growthBytes, type Peaks, watchProduct } from './product-memory.ts';
import { renderReport } from './report.ts';
import { startUnderAttack } from './start-under-attack.ts';
import type { Target } from './target.ts';
import { type Bounds, faultsOf, type Measured } from './verdict.ts';

const BLOCKS = 3;
const JOBS_OF_BLOCK = 5;
/** Two requests per job: the innocent account stays below its plan's 60 a minute. */
const IDLE_EVERY_MS = 2_200;
/** By then the remaining jobs of an attack are canceled. */
const SETTLE_MS = 3_000;
/** A newly started process grows with every kind of request, and with the number of jobs at once. */
const WARM_UP_JOBS = 12;
const WARM_UP_JOBS_AT_ONCE = 4;
const GROWTH_BOUND_BYTES = 96 * 1024 ** 2;

interface Beside {
  readonly target: Target;
  readonly innocent: Innocent;
  readonly takePeaks: () => Peaks;
  readonly blockMs: number;
}

export async function runAdversaries(
  { only, distributed, seconds }: Values<typeof COMMAND.options>,
  signal: AbortSignal,
) {
  const run = openRun('adversaries', signal);
  await using product = await startUnderAttack(distributed, run);
  run.tell(`${product.baseUrl} serves; logs in ${run.dataDir}/logs`);
  const innocent = await openInnocent(product);
  using watch = watchProduct(product.processGroup, product.scratchDirs);
  const beside: Beside = {
    target: { ...product.target, innocentEmail: innocent.email },
    innocent,
    takePeaks: watch.takePeaks,
    blockMs: (seconds * 1_000) / BLOCKS,
  };
  await run.orAborted(innocent.splitInTurn(WARM_UP_JOBS, IDLE_EVERY_MS, signal));
  const atOnce = Array.from({ length: WARM_UP_JOBS_AT_ONCE }, () => innocent.splitInTurn(1, 0, signal));
  await run.orAborted(Promise.all(atOnce));
  const bounds: Bounds = { growthBytes: GROWTH_BOUND_BYTES, scratchBytes: product.scratchLimitBytes };
  const measured: Measured[] = [];
  for (const adversary of ADVERSARIES.filter(({ name }) => only?.includes(name) ?? true)) {
    run.tell(adversary.title);
    const result = await run.orAborted(
      playBeside(adversary, beside, run).catch((error: Error) => notPlayed(adversary, error)),
    );
    const faults = faultsOf(result, bounds);
    run.tell(`  ${faults.length === 0 ? 'held' : faults.join('; ')}; it got ${result.got}`);
    measured.push(result);
  }
  const report = renderReport(measured, bounds, { isDistributed: distributed, startedAt: run.startedAt });
  return { report, isFine: measured.every((each) => faultsOf(each, bounds).length === 0) };
}

/** The others are still played, and reported. */
function notPlayed({ name, title, bound }: Adversary, error: Error): Measured {
  const nothing = { idleMs: [], besideMs: [], growthBytes: 0, scratchBytes: 0, got: 'nothing', lost: [] };
  return { name, title, bound, ...nothing, broken: [`it could not be played: ${error.message}`] };
}

async function playBeside(adversary: Adversary, beside: Beside, { signal }: Run): Promise<Measured> {
  const { target, innocent, takePeaks, blockMs } = beside;
  const { name, title, bound } = adversary;
  const idleMs: number[] = [];
  const besideMs: number[] = [];
  let grown = 0;
  let scratchBytes = 0;
  let got = '';
  const broken: string[] = [];
  innocent.lost();
  for (let block = 0; block < BLOCKS; block += 1) {
    takePeaks();
    idleMs.push(...(await innocent.splitInTurn(JOBS_OF_BLOCK, IDLE_EVERY_MS, signal)));
    const before = takePeaks();
    await using attack = await startAttack(name, target);
    besideMs.push(
      ...(await innocent.splitInTurn(
        JOBS_OF_BLOCK,
        Math.max(IDLE_EVERY_MS, blockMs / JOBS_OF_BLOCK),
        signal,
      )),
    );
    const during = takePeaks();
    got = await attack.stop().catch((error: Error) => {
      broken.push(error.message);
      return 'more than it should';
    });
    await sleep(SETTLE_MS, undefined, { signal });
    grown = Math.max(grown, growthBytes(before, during));
    scratchBytes = Math.max(scratchBytes, during.scratchBytes);
  }
  return {
    name,
    title,
    bound,
    idleMs,
    besideMs,
    growthBytes: grown,
    scratchBytes,
    got,
    lost: innocent.lost(),
    broken,
  };
}
