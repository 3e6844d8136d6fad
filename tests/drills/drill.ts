/** A deliberate disaster, and its requirements. */
import type { EngineControls } from '../harness/installation/engine-controls.ts';
import type { ProcessesInstallation } from '../harness/installation/processes.ts';
import type { LightLoad } from './environment/light-load.ts';
import type { OperatorCommands } from './environment/operator-commands.ts';
import type { Zone } from './environment/zone.ts';
import type { Journal } from './journal.ts';

export interface Drill {
  /** The name for `--only`. */
  readonly name: string;
  /** The title in the table of docs/operations/drills.md. */
  readonly title: string;
  /** Describes its actions in a sentence. */
  readonly what: string;
  /** Writes deviations to the journal; throws if it cannot continue. */
  carryOut(context: DrillContext): Promise<DrillResult>;
}

export interface DrillContext {
  readonly installation: ProcessesInstallation;
  readonly engines: EngineControls;
  readonly zone: Zone;
  readonly load: LightLoad;
  readonly commands: OperatorCommands;
  readonly journal: Journal;
  /** How long Redis and Kafka stay stopped. */
  readonly outageMs: number;
  /** Empty at the start of a run; for backups. */
  readonly folder: string;
}

/** The losses of the drill, for the verification afterwards. */
export interface DrillResult {
  /** Jobs that lack segments according to `npm run operate -- reconcile`. */
  readonly jobsWithLosses?: number;
  /** Completed jobs for which billing never received an event. */
  readonly uncountedJobs?: number;
  /** Numbers of completed jobs whose notification is lost. */
  readonly unnotifiedJobs?: ReadonlySet<number>;
}
