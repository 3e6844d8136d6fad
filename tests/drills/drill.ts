/** A disaster that is carried out on purpose, and what it needs. */
import type { Journal } from './journal.ts';
import type { Engines } from './surroundings/engines.ts';
import type { LightLoad } from './surroundings/light-load.ts';
import type { OperatorCommands } from './surroundings/operator-commands.ts';
import type { DrillSite } from './surroundings/site.ts';

export interface Drill {
  /** What `--only` takes. */
  readonly name: string;
  /** As in the table of docs/operations/drills.md. */
  readonly title: string;
  /** What is done, in a sentence. */
  readonly what: string;
  /** Expectations that do not hold go to the journal; throws when it cannot go on. */
  carryOut(context: DrillContext): Promise<DrillResult>;
}

export interface DrillContext {
  readonly site: DrillSite;
  readonly engines: Engines;
  readonly load: LightLoad;
  readonly commands: OperatorCommands;
  readonly journal: Journal;
  /** How long Redis and Kafka stay away. */
  readonly outageMs: number;
  /** Empty at the start of a run; for backups. */
  readonly folder: string;
}

/** What is known to be lost, so that the checks afterwards take it for no news. */
export interface DrillResult {
  /** Jobs that `npm run operate -- reconcile` says lack segments. */
  readonly jobsWithLosses?: number;
  /** Completed jobs that billing has never heard of. */
  readonly uncountedJobs?: number;
  /** Completed jobs whose notification is not to be waited for, by their number. */
  readonly unnotifiedJobs?: ReadonlySet<number>;
}
