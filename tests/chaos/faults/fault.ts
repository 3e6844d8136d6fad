/** A way in which something breaks, and what a run has to be able to do for it. */

import type { EngineName } from '../../../deploy/engines/engine.ts';
import type { RunningJob } from '../../harness/jobs-database.ts';
import type { Random } from '../../harness/random.ts';
import type { Site } from '../site.ts';
import type { SiteShape } from '../site-shape.ts';

export interface Fault {
  readonly kind: string;
  /** As the report names it. */
  readonly title: string;
  /** What it may strike, by name. */
  readonly targets: (shape: SiteShape) => readonly string[];
  /** What nothing else may break meanwhile; by default the target. */
  readonly claims?: (target: string, shape: SiteShape) => readonly string[];
  /** Shortest and longest time from the injection until it is taken back. */
  readonly holdMs: (shape: SiteShape) => readonly [number, number];
  /** Somebody is killed without a chance to clean up. */
  readonly kills?: true;
  /** Recovery counts from when the fault strikes, as of a process that was killed, or from when it is taken back. */
  readonly recoveryFrom: 'injection' | 'lift';
  readonly inject: (site: Site, injection: Injection) => Promise<Struck>;
}

/** One stroke of a run's schedule. */
export interface Injection {
  readonly number: number;
  readonly fault: Fault;
  readonly target: string;
  readonly holdMs: number;
  /** From the injection before. */
  readonly pauseMs: number;
  /** For chances within the stroke. */
  readonly random: Random;
}

export interface Struck {
  /** Processes that have to be there again, and ready; with another id than this where one is given. */
  readonly processes?: readonly { readonly name: string; readonly formerPid?: number | undefined }[];
  readonly engines?: readonly { readonly name: EngineName; readonly formerPid: number }[];
  /** Jobs that somebody else has to take over. */
  readonly jobs?: readonly RunningJob[];
  /** Takes the fault back; resolves with what shows that it struck, where that is not plain. Rejects if it did not. */
  readonly lift?: () => Promise<string | undefined>;
}
