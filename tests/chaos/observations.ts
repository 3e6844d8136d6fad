/** What a run has seen, as plain data: the checks look at nothing else. Times are milliseconds since the epoch. */

export interface Observations {
  readonly injections: readonly ObservedInjection[];
  /** Kinds that the time did not suffice for. */
  readonly missedKinds: readonly string[];
  readonly jobs: readonly ObservedJob[];
  readonly accounts: readonly ObservedAccount[];
  /** Jobs that the API lists and that no answer ever named, with the number of the request that they came of. */
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
  /** Undefined where it has not recovered in the time that a run gives. */
  readonly recoveryMs: number | undefined;
  /** What had not recovered, or why the fault did not strike. */
  readonly problem: string | undefined;
  readonly proof: string | undefined;
}

export interface ObservedJob {
  /** Of the request; a request is posted until its acceptance is heard. */
  readonly request: number;
  /** Undefined where the API has refused it for good. */
  readonly id: string | undefined;
  readonly refusal: string | undefined;
  readonly account: string;
  readonly postedMs: number;
  readonly end: JobEnd;
  /** Ids of the notifications about its end, without repetitions of the same id. */
  readonly notifications: readonly { readonly type: string; readonly id: string }[];
  /** How often billing has counted it. */
  readonly timesBilled: number;
}

export type JobEnd =
  | {
      readonly kind: 'completed';
      readonly endedMs: number;
      readonly sourceDurationSeconds: number;
      /** What is wrong with its segments. */
      readonly flaws: readonly string[];
    }
  /** Undefined: its parts had attempts of their own. */
  | { readonly kind: 'failed'; readonly code: string; readonly attempts: number | undefined }
  /** Accepted, and still not at an end when everything had long been well again. */
  | { readonly kind: 'stuck'; readonly status: string }
  /** Accepted, and the API does not know it. */
  | { readonly kind: 'missing' }
  | { readonly kind: 'refused' };

export interface ObservedAccount {
  readonly name: string;
  /** As the usage report of the API says. */
  readonly jobsCompleted: number;
  readonly jobsFailed: number;
  readonly minutesProcessed: number;
}
