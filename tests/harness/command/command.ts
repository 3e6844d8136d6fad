/** A suite that is a command: options, --help, signals, the report and the exit code. */
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
  /** Goes to standard output, and to the file of --report; absent where the command writes its files itself. */
  readonly report?: string;
  /** Undefined: the run cannot tell. */
  readonly isFine: boolean | undefined;
  /** After the report, for the terminal alone. */
  readonly verdict?: string;
}

/** Ends the process: exit code 0 where all was fine, 2 where the run cannot tell, that of the signal after one, else 1. */
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
    // Aborted work rejects with errors of its own.
    const error = interruption.signal.aborted ? interruption.signal.reason : thrown;
    process.stderr.write(
      `audiosplit: ${error instanceof StartError ? `${error.message}\n` : explainFailure(error)}`,
    );
    process.exitCode = error instanceof Interrupted ? error.exitCode : 1;
  }
  // Clients would repeat calls to a stopped product for ever.
  process.exit();
}
