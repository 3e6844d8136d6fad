import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Coverage } from './coverage.ts';
import { type ExecutionLimit, LimitExceededError } from './execution-limit.ts';
import { type Finding, keyOf } from './finding.ts';
import { isCostly } from './fuzz-case.ts';
import type { FuzzTarget } from './fuzz-target.ts';
import { minimize } from './minimize.ts';
import { createSpecimen, mutate, type Specimen } from './mutate.ts';
import { createRandom, type Random } from './random.ts';
import { MAX_CASE_BYTES, type RunningCase } from './running-case.ts';

/**
 * Fuzzes one target: mutants of the corpus are run one after another, and those that take a branch a new number
 * of times join the corpus. Same seed, same engine, same findings.
 */
interface CampaignOptions {
  readonly target: FuzzTarget;
  readonly executions: number;
  readonly seed: number;
  readonly coverage: Coverage;
  readonly limits: readonly ExecutionLimit[];
  readonly running: RunningCase;
  /** Empty, and left empty. */
  readonly workDir: string;
  readonly onFinding: (finding: Finding) => void;
}

const MAX_SOURCE_BYTES = 16 * 1024;
const MAX_CORPUS = 4_000;
/** Describing a specimen costs about as much as running it. */
const MUTANTS_PER_SPECIMEN = 24;
const MUTANTS_PER_COSTLY_SPECIMEN = 2;
/** Unhandled rejections are reported between turns of the event loop only. */
const EXECUTIONS_PER_TURN = 64;
const MAX_EXECUTION_MS = 1_000;
const MAX_FINDINGS = 20;
/** These count as executions too. One execution does not show whether a rejection is left unhandled. */
const MINIMIZING_TRIES: Readonly<Record<Finding['kind'], number>> = {
  error: 1_500,
  limit: 1_500,
  slow: 15,
  'unhandled rejection': 0,
  hang: 0,
  memory: 0,
};

type Outcome = Pick<Finding, 'kind' | 'key' | 'detail'> | undefined;

export async function runCampaign(options: CampaignOptions): Promise<void> {
  const { target, seed, coverage, running } = options;
  const random = createRandom(seed);
  const corpus: Buffer[] = [];
  const findings = new Map<string, Finding>();
  let turn: Buffer[] = [];
  let unhandled: { readonly reason: unknown } | undefined;
  const onUnhandled = (reason: unknown): void => {
    unhandled = { reason };
  };
  process.on('unhandledRejection', onUnhandled);

  /** The engine's own behaviour on this case, whatever the campaign has seen so far. */
  async function execute(input: Buffer): Promise<Outcome> {
    running.begin(input);
    for (const limit of options.limits) limit.begin();
    coverage.begin();
    const startMs = performance.now();
    const cpuBefore = process.threadCpuUsage();
    let outcome: Outcome;
    try {
      await target.run(input, options.workDir);
    } catch (error) {
      const kind = error instanceof LimitExceededError ? 'limit' : 'error';
      outcome = { kind, key: keyOf(error), detail: describe(error) };
    } finally {
      for (const limit of options.limits) limit.end();
      running.end();
    }
    // The machine's other work is no fault of the engine's: what counts is the thread's own time.
    if (outcome === undefined && performance.now() - startMs > MAX_EXECUTION_MS) {
      const { user, system } = process.threadCpuUsage(cpuBefore);
      const cpuMs = (user + system) / 1000;
      if (cpuMs > MAX_EXECUTION_MS)
        outcome = { kind: 'slow', key: 'slow', detail: `${Math.round(cpuMs)} ms` };
    }
    return outcome;
  }

  async function report(input: Buffer, outcome: NonNullable<Outcome>): Promise<void> {
    if (findings.has(outcome.key) || findings.size >= MAX_FINDINGS) return;
    const execution = running.counts().executions;
    const isSame = async (candidate: Buffer): Promise<boolean> =>
      (await execute(candidate))?.key === outcome.key;
    const finding = {
      ...outcome,
      target: target.name,
      seed,
      input: await minimize(input, isSame, MINIMIZING_TRIES[outcome.kind]),
      execution,
    };
    findings.set(outcome.key, finding);
    options.onFinding(finding);
  }

  /** Lets the loop turn; a rejection that turns up then belongs to one of the cases since the last turn. */
  async function endTurn(): Promise<void> {
    const suspects = turn;
    turn = [];
    await nextTurn();
    if (unhandled === undefined) return;
    for (const input of suspects) {
      unhandled = undefined;
      await execute(input);
      await nextTurn();
      const found = rejection();
      if (found === undefined) continue;
      const key = `unhandled ${keyOf(found.reason)}`;
      await report(input, { kind: 'unhandled rejection', key, detail: describe(found.reason) });
    }
    unhandled = undefined;
  }

  const rejection = (): { readonly reason: unknown } | undefined => unhandled;

  async function tryCase(input: Buffer): Promise<void> {
    turn.push(input);
    const outcome = await execute(input);
    if (coverage.isNew() && corpus.length < MAX_CORPUS) corpus.push(input);
    if (outcome !== undefined) await report(input, outcome);
    running.note({ corpus: corpus.length, branches: coverage.branchCount });
    if (turn.length >= EXECUTIONS_PER_TURN) await endTurn();
  }

  try {
    for (const input of target.seeds()) {
      await tryCase(input);
      if (!corpus.includes(input)) corpus.push(input);
    }
    const { grammar } = target;
    const maxSourceBytes = Math.min(MAX_SOURCE_BYTES, MAX_CASE_BYTES);
    while (running.counts().executions < options.executions) {
      const specimen = createSpecimen(choose(corpus, random), grammar);
      const other: Specimen = createSpecimen(choose(corpus, random), grammar);
      const mutants = isCostly(specimen.bytes) ? MUTANTS_PER_COSTLY_SPECIMEN : MUTANTS_PER_SPECIMEN;
      for (let left = mutants; left > 0; left--) {
        await tryCase(mutate(specimen, { other, grammar, random, maxSourceBytes }));
      }
    }
    await endTurn();
  } finally {
    process.off('unhandledRejection', onUnhandled);
  }
}

/** Half the time one of the latest: it took a branch that few others take. */
function choose(corpus: readonly Buffer[], random: Random): Buffer {
  const latest = Math.min(corpus.length, 1 + Math.floor(corpus.length / 4));
  const index = random.oneIn(2) ? random.below(corpus.length) : corpus.length - 1 - random.below(latest);
  return corpus[index] ?? Buffer.alloc(0);
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
