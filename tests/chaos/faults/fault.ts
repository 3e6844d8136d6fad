/** A way in which something breaks. */
import { until } from '@audiosplit/chassis/testing/until';
import type { EngineName } from '../../harness/installation/engine-controls.ts';
import type { RunningJob } from '../../harness/jobs-database.ts';
import type { Random } from '../../harness/random.ts';
import type { ChaosInstallation } from '../chaos-installation.ts';
import type { RunShape } from '../run-shape.ts';

export interface Fault {
  readonly kind: string;
  /** As the report names it. */
  readonly title: string;
  /** Names of what it can break. */
  readonly targets: (shape: RunShape) => readonly string[];
  /** What no other fault may break meanwhile; by default the target. */
  readonly claims?: (target: string, shape: RunShape) => readonly string[];
  /** Shortest and longest time from the injection to the lift; none by default. */
  readonly holdMs?: (shape: RunShape) => readonly [number, number];
  /** It kills a process that gets no chance to clean up. */
  readonly kills?: true;
  readonly inject: (chaos: ChaosInstallation, injection: Injection) => Promise<Struck>;
}

/** One entry of a run's schedule. */
export interface Injection {
  readonly number: number;
  readonly fault: Fault;
  readonly target: string;
  readonly holdMs: number;
  /** Since the previous injection. */
  readonly pauseMs: number;
  /** For choices within the injection. */
  readonly random: Random;
}

export interface Struck {
  /** Processes that have to be ready again; with another pid than `formerPid` where it is given. */
  readonly processes?: readonly { readonly name: string; readonly formerPid?: number | undefined }[];
  readonly engines?: readonly { readonly name: EngineName; readonly formerPid: number }[];
  /** Jobs that another splitter has to take over. */
  readonly jobs?: readonly RunningJob[];
  /** Where it is not obvious that the fault had an effect: resolves with the evidence, before the lift; rejects if it had none. */
  readonly proof?: () => string | Promise<string>;
  /** Ends the fault. */
  readonly lift?: () => void | Promise<void>;
}

const HIT_WITHIN_MS = 30_000;

/** Keeps a fault until a request has met it, because a fault without effect proves nothing. Rejects at the timeout. */
export async function untilHit(hits: () => number | Promise<number>): Promise<string> {
  await until(async () => (await hits()) > 0, 'a request meets the fault', HIT_WITHIN_MS);
  return `${await hits()} requests met it`;
}
