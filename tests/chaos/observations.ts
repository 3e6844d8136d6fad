/** The observations of a run as plain data, all that the checks read. Times are milliseconds since the epoch. */

export interface Observations {
  readonly injections: readonly ObservedInjection[];
  /** Kinds for which there was no time. */
  readonly missedKinds: readonly string[];
  readonly jobs: readonly ObservedJob[];
  readonly accounts: readonly ObservedAccount[];
  /** Jobs that the API lists but never returned to a client, with the number of their request. */
  readonly strangers: readonly { readonly id: string; readonly request: number | undefined }[];
  /** Ids of notifications that a kill cut off, and that have not arrived since. */
  readonly notArrived: readonly string[];
  /** POST requests that followed a receiver's redirect. */
  readonly redirectsFollowed: number;
}

export interface ObservedInjection {
  readonly number: number;
  readonly kind: string;
  readonly target: string;
  readonly isKill: boolean;
  readonly fromMs: number;
  readonly toMs: number;
  readonly runningJobs: number;
  /** Undefined if it has not recovered within the timeout. */
  readonly recoveryMs: number | undefined;
  /** Ids of notifications that it cut off. */
  readonly notifications: readonly string[];
  /** The conditions that have not recovered, or the reason why the fault had no effect. */
  readonly problem: string | undefined;
}

export interface ObservedJob {
  /** The number of the request, which is repeated until its acceptance is received. */
  readonly request: number;
  /** Undefined if the API has rejected it. */
  readonly id: string | undefined;
  readonly refusal: string | undefined;
  readonly account: string;
  readonly postedMs: number;
  readonly end: JobEnd;
  /** Ids of the notifications of its end, each once. */
  readonly notifications: readonly { readonly type: string; readonly id: string }[];
  /** How often billing has counted it. */
  readonly timesBilled: number;
}

export type JobEnd =
  | {
      readonly kind: 'completed';
      readonly endedMs: number;
      readonly sourceDurationSeconds: number;
      /** Defects of its segments, and of their set in a bucket. */
      readonly flaws: readonly string[];
    }
  | {
      readonly kind: 'failed';
      readonly code: string;
      /** Undefined if the job's parts had their own attempts. */
      readonly attempts: number | undefined;
      /** Defects of the files that it left in a bucket. */
      readonly flaws: readonly string[];
    }
  /** Accepted, and still not finished long after the last recovery. */
  | { readonly kind: 'stuck'; readonly status: string }
  /** Accepted, but not found through the API. */
  | { readonly kind: 'missing' }
  | { readonly kind: 'refused' };

export interface ObservedAccount {
  readonly name: string;
  /** From the API's usage report. */
  readonly jobsCompleted: number;
  readonly jobsFailed: number;
  readonly minutesProcessed: number;
}
