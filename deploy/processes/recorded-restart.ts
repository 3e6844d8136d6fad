/** Rolling restarts of a running installation. Each step is recorded for the process that requested the restart. */
import { messageOf } from '@audiosplit/chassis/errors';
import type { Report } from '../provision/progress.ts';
import type { ManagedProcess } from './process/managed-process.ts';
import { rollingRestart } from './rolling-restart.ts';
import type { RecordedRestart } from './running-state.ts';

/** The function that it returns restarts everything, or joins the restart in progress; it never rejects. */
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
