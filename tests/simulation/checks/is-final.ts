import type { JobState } from '../database/watched-tables.ts';

export function isFinal({ status }: Pick<JobState, 'status'>): boolean {
  return status === 'completed' || status === 'failed';
}
