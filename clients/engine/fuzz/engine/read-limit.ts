import { createBudget } from './execution-limit.ts';

/**
 * Reads of files by one execution. Here they are cheap; in production each goes through the thread pool and costs
 * a hundred microseconds, so that a source with a read for every few bytes of it would keep a worker for hours.
 */
const MAX_READS = 1_000;

export const READ_LIMIT = createBudget('reads from files', MAX_READS);
