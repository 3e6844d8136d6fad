/** Work that is reported, timed and can be aborted. */
export interface Task {
  readonly signal: AbortSignal;
  step<T>(label: string, work: () => Promise<T>): Promise<T>;
}
