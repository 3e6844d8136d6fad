/** Runs a suite as a command: options, --help, signals, the report and the exit code. */
import { StartError } from '@audiosplit/chassis/process/lifecycle';
import { explainFailure } from '../../../deploy/provision/explain-failure.ts';
import { Interrupted, onInterruption } from '../../../deploy/provision/interruption.ts';
import {
  helpOf,
  type Options,
  type OptionsSpec,
  parseOptions,
  type Values,
} from '../../../deploy/provision/options.ts';
import { writeReport } from './report-file.ts';

interface CommandOutcome {
  /**
   * Written to standard output and to the file of --report; absent if the command writes its files itself.
   */
  readonly report?: string;
  /** Undefined: the run could not decide. */
  readonly isFine: boolean | undefined;
  /** Printed after the report, to the terminal only. */
  readonly verdict?: string;
}

/**
 * Ends the process. Exit code: 0 if all was fine, 2 if the run could not decide, the signal's after a signal,
 * else 1.
 */
export async function command<O extends Options>(
  spec: OptionsSpec<O>,
  run: (values: Values<O>, signal: AbortSignal) => Promise<CommandOutcome>,
): Promise<never> {
  const interruption = new AbortController();
  onInterruption((signal) => interruption.abort(new Interrupted(signal)));
  try {
    const { help, ...values } = parseOptions(spec, process.argv.slice(2));
    if (help) process.stdout.write(helpOf(spec));
    else {
      const { report, isFine, verdict = '' } = await run(values as unknown as Values<O>, interruption.signal);
      process.stdout.write(`\n${report ?? ''}${verdict}`);
      const file = (values as { readonly report?: unknown }).report;
      if (report !== undefined && typeof file === 'string') writeReport(file, report);
      process.exitCode = isFine === undefined ? 2 : isFine ? 0 : 1;
    }
  } catch (thrown) {
    // Aborted work rejects with various errors.
    const error = interruption.signal.aborted ? interruption.signal.reason : thrown;
    process.stderr.write(
      `audiosplit: ${error instanceof StartError ? `${error.message}\n` : explainFailure(error)}`,
    );
    process.exitCode = error instanceof Interrupted ? error.exitCode : 1;
  }
  // Clients would retry calls to a stopped product for ever.
  process.exit();
}
