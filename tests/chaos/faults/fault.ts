/** A way in which something breaks. */
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
  /** Shortest and longest time from the injection to the lift. */
  readonly holdMs: (shape: RunShape) => readonly [number, number];
  /** It kills a process that gets no chance to clean up. */
  readonly kills?: true;
  /** Recovery is measured from the injection, as after a kill, or from the lift, as after a freeze. */
  readonly recoveryFrom: 'injection' | 'lift';
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
  /** Ends the fault. Resolves with evidence that it had an effect, where that is not obvious; rejects if it had none. */
  readonly lift?: () => Promise<string | undefined>;
}
