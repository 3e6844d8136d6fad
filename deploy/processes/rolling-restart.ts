/**
 * Replaces every process of a running installation, as the deployment of a new version does, without failed
 * requests.
 *
 * Processes are replaced one after the other, services before their callers, because a new caller may use
 * features of a new service. A successor starts beside its predecessor, which stops once the successor is
 * ready (docs/decisions/0026). The next successor starts while that predecessor is still stopping, so at most
 * two additional processes run. The first successor that does not become ready ends the restart; its
 * predecessor continues.
 */
import { messageOf } from '@audiosplit/chassis/errors';
import { StartError } from '@audiosplit/chassis/process/lifecycle';
import { type Report, seconds } from '../provision/progress.ts';
import type { ManagedProcess } from './process/managed-process.ts';
import type { RecordedRestart } from './running-state.ts';

/** `npm run up -- restart` sends it to `npm run up`. */
export const RESTART_SIGNAL = 'SIGUSR2';

type Replaceable = Pick<ManagedProcess, 'name' | 'isReplaceable' | 'identity' | 'replace'>;

/** `processes` in stop order. Throws StartError. */
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

/**
 * Each step is recorded for the process that requested the restart. The function that it returns restarts everything, or joins
 * the restart in progress; it never rejects.
 */
export function createRecordedRestarts(options: {
  readonly processes: () => readonly ManagedProcess[];
  readonly report: Report;
  readonly onChange: (restart: RecordedRestart) => void;
}): () => Promise<void> {
  let number = 0;
  let inProgress: Promise<void> | undefined;

  const restart = async () => {
    number += 1;
    const lines: string[] = [];
    const record = (state: RecordedRestart['state']) => options.onChange({ number, state, lines });
    record('running');
    try {
      await rollingRestart(options.processes(), (name, message) => {
        lines.push(`${name}: ${message}`);
        record('running');
        options.report(name, message);
      });
      record('done');
    } catch (error) {
      lines.push(messageOf(error));
      record('failed');
    }
    inProgress = undefined;
  };

  return () => {
    inProgress ??= restart();
    return inProgress;
  };
}
