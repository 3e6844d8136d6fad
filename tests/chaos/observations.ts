/** The observations of a run as plain data, all that the checks read. Times are milliseconds since the epoch. */

export interface Observations {
  readonly injections: readonly ObservedInjection[];
  /** Kinds that there was no time for. */
  readonly missedKinds: readonly string[];
  readonly jobs: readonly ObservedJob[];
  readonly accounts: readonly ObservedAccount[];
  /** Jobs that the API lists but never returned to a client, with the number of their request. */
  readonly strangers: readonly { readonly id: string; readonly request: number | undefined }[];
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
  /** Undefined where it has not recovered within the timeout. */
  readonly recoveryMs: number | undefined;
  /** What had not recovered, or why the fault had no effect. */
  readonly problem: string | undefined;
}

export interface ObservedJob {
  /** Of the request, which is repeated until its acceptance is received. */
  readonly request: number;
  /** Undefined where the API has rejected it. */
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
      /** Defects of its segments. */
      readonly flaws: readonly string[];
    }
  /** Undefined where its parts had attempts of their own. */
  | { readonly kind: 'failed'; readonly code: string; readonly attempts: number | undefined }
  /** Accepted, and still not finished long after the last recovery. */
  | { readonly kind: 'stuck'; readonly status: string }
  /** Accepted, and the API does not know it. */
  | { readonly kind: 'missing' }
  | { readonly kind: 'refused' };

export interface ObservedAccount {
  readonly name: string;
  /** From the API's usage report. */
  readonly jobsCompleted: number;
  readonly jobsFailed: number;
  readonly minutesProcessed: number;
}
