/**
 * Replaces every process of a running installation, as a deployment of a new version would, without anybody noticing.
 *
 * One after the other, the called before their callers: a new caller may use what only a new service offers. A successor
 * starts beside its predecessor, which goes once the successor is ready (docs/decisions/0026). The next one starts while
 * the last predecessor still leaves, so that at most one process in two places and one on its way out are more than
 * usual. The first that does not get ready ends it all, with its predecessor still serving.
 */
import { StartError } from '@audiosplit/chassis/process/lifecycle';
import { type Report, seconds } from '../provision/progress.ts';
import type { ManagedProcess } from './process/managed-process.ts';

/** What `npm run up -- restart` sends to `npm run up`. */
export const RESTART_SIGNAL = 'SIGUSR2';

type Replaceable = Pick<ManagedProcess, 'name' | 'isReplaceable' | 'identity' | 'replace'>;

/** `processes` in the order in which they are stopped. Throws StartError. */
export async function rollingRestart(processes: readonly Replaceable[], report: Report): Promise<void> {
  const order = processes.filter(({ isReplaceable }) => isReplaceable).toReversed();
  const unclean: string[] = [];
  let lastToLeave: Promise<void> = Promise.resolve();
  try {
    for (const process of order) {
      const startedMs = performance.now();
      const before = process.identity()?.pid;
      const { left } = await process.replace();
      report(process.name, `replaced in ${seconds(startedMs)} (pid ${before} → ${process.identity()?.pid})`);
      await lastToLeave;
      lastToLeave = left.then((code) => {
        if (code !== 0) unclean.push(`${process.name} (${code ?? 'killed'})`);
      });
    }
  } finally {
    await lastToLeave;
  }
  if (unclean.length > 0) throw new StartError(`these did not leave by themselves: ${unclean.join(', ')}`);
}
