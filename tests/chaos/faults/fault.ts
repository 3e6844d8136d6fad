/** A kind of fault. */
import { until } from '@audiosplit/chassis/testing/until';
import type { EngineName } from '../../harness/installation/engine-controls.ts';
import type { RunningJob } from '../../harness/jobs-database.ts';
import type { Random } from '../../harness/random.ts';
import type { ChaosInstallation } from '../chaos-installation.ts';
import type { RunShape } from '../run-shape.ts';

export interface Fault {
  readonly kind: string;
  /** The name in the report. */
  readonly title: string;
  /** The names of the things that it can break. */
  readonly targets: (shape: RunShape) => readonly string[];
  /** The things that no other fault may break meanwhile; by default the target. */
  readonly claims?: (target: string, shape: RunShape) => readonly string[];
  /** Shortest and longest time from the injection to the lift; none by default. */
  readonly holdMs?: (shape: RunShape) => readonly [number, number];
  /** It kills a process without a chance to clean up. */
  readonly kills?: true;
  readonly inject: (chaos: ChaosInstallation, injection: Injection) => Promise<Struck>;
}

/** One entry of a run's schedule. */
export interface Injection {
  readonly number: number;
  readonly fault: Fault;
  readonly target: string;
  readonly holdMs: number;
  /** The pause since the previous injection. */
  readonly pauseMs: number;
  /** For choices within the injection. */
  readonly random: Random;
}

export interface Struck {
  /** Processes that must be ready again; with another pid than `formerPid` if it is given. */
  readonly processes?: readonly { readonly name: string; readonly formerPid?: number | undefined }[];
  readonly engines?: readonly { readonly name: EngineName; readonly formerPid: number }[];
  /** Jobs that another splitter must take over. */
  readonly jobs?: readonly RunningJob[];
  /** Ids of notifications that it cut off, which must still arrive. */
  readonly notifications?: readonly string[];
  /**
   * Set if the effect of the fault is not obvious: resolves with the evidence, before the lift; rejects if
   * there was no effect.
   */
  readonly proof?: () => string | Promise<string>;
  /** Ends the fault. */
  readonly lift?: () => void | Promise<void>;
}

export const HIT_WITHIN_MS = 30_000;

/**
 * Keeps a fault until a request has met it, because a fault without effect proves nothing. Rejects at the
 * timeout.
 */
export async function untilHit(
  hits: () => number | Promise<number>,
  withinMs = HIT_WITHIN_MS,
): Promise<string> {
  await until(async () => (await hits()) > 0, 'a request meets the fault', withinMs);
  return `${await hits()} requests met it`;
}
