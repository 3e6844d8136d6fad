/** The engine on the agent's machine, for files that need no server. */

export interface LocalSegment {
  readonly index: number;
  readonly fileName: string;
  /** Seconds. */
  readonly startTime: number;
  readonly endTime: number;
  readonly duration: number;
  /** Bytes. */
  readonly size: number;
  /** Of a file that was written. */
  readonly path?: string;
}

export interface LocalPlan {
  readonly outputFormat: string;
  /** Seconds. */
  readonly sourceDuration: number;
  readonly segments: readonly LocalSegment[];
}

export interface LocalRun {
  readonly path: string;
  /** A request without `sourceUrl`. */
  readonly cuts: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  /** Per cent. */
  readonly onProgress: (progress: number) => void;
}

/** Both throw ToolError. */
export interface LocalEngine {
  plan(run: LocalRun): Promise<LocalPlan>;
  split(run: LocalRun & { readonly outputFolder: string | undefined }): Promise<LocalPlan>;
}
