/** Rolling restarts of a running installation, told step by step to whoever asked for one from another process. */
import { messageOf } from '@audiosplit/chassis/errors';
import type { Report } from '../provision/progress.ts';
import type { ManagedProcess } from './process/managed-process.ts';
import { rollingRestart } from './rolling-restart.ts';
import type { RecordedRestart } from './running-state.ts';

export interface RecordedRestartOptions {
  readonly processes: readonly ManagedProcess[];
  readonly report: Report;
  readonly onChange: (restart: RecordedRestart) => void;
}

/** What it returns restarts everything, or joins the restart that is under way; never rejects. */
export function createRecordedRestarts(options: RecordedRestartOptions): () => Promise<void> {
  let number = 0;
  let underWay: Promise<void> | undefined;

  const restart = async () => {
    number += 1;
    const lines: string[] = [];
    const tell = (state: RecordedRestart['state']) => options.onChange({ number, state, lines: [...lines] });
    tell('running');
    try {
      await rollingRestart(options.processes, (name, message) => {
        lines.push(`${name}: ${message}`);
        tell('running');
        options.report(name, message);
      });
      tell('done');
    } catch (error) {
      lines.push(messageOf(error));
      tell('failed');
    }
    underWay = undefined;
  };

  return () => {
    underWay ??= restart();
    return underWay;
  };
}
