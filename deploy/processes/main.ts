import { runProcess } from '@audiosplit/chassis/process/lifecycle';
import { describeFirstSteps } from '../embedded/first-steps.ts';
import { Interrupted, onInterruption } from '../provision/interruption.ts';
import { type Report, reportTo } from '../provision/progress.ts';
import { parseUp, UP_HELP } from './command-line.ts';
import { runDetached } from './detach.ts';
import { startInstallation } from './installation.ts';
import { readInstallationConfig } from './installation-config.ts';
import { RESTART_SIGNAL } from './rolling-restart.ts';
import { describeChange, showStatus } from './status/terminal-status.ts';

/** Every phase of the stop has a bound of its own; this is for what hangs beyond them. */
const STOP_TIMEOUT_MS = 90_000;

await runProcess({
  name: 'audiosplit',
  stopTimeoutMs: () => STOP_TIMEOUT_MS,
  async start() {
    const startedAt = performance.now();
    const args = parseUp(process.argv.slice(2));
    if (args.help) {
      process.stdout.write(UP_HELP);
      process.exit(0);
    }
    const config = readInstallationConfig(process.env, process.cwd());
    if (args.detach) {
      process.stdout.write(await runDetached(config.dataDir));
      process.exit(0);
    }
    const interruption = new AbortController();
    onInterruption((signal) => interruption.abort(new Interrupted(signal)));
    // A terminal that is closed wants what Ctrl-C in it wants.
    process.on('SIGHUP', () => process.kill(process.pid, 'SIGTERM'));
    await using starting = new AsyncDisposableStack();
    // A terminal shows a table from the time when everything runs until everything has stopped.
    let table: Disposable | undefined;
    starting.defer(async () => table?.[Symbol.dispose]());
    const toOutput = reportTo(process.stdout);
    const report: Report = (name, message) => {
      if (table === undefined) toOutput(name, message);
    };
    const installation = starting.use(
      await startInstallation({
        ...args,
        config,
        env: process.env,
        signal: interruption.signal,
        report,
        onChange: (each) => report(each.name, describeChange(each)),
      }),
    );
    process.on(RESTART_SIGNAL, () => void installation.restart());
    // There is a channel to whoever has detached this process, and to nobody else.
    const isDetached = process.send !== undefined;
    const stop = isDetached ? 'Stop with npm run down.' : undefined;
    const firstSteps = describeFirstSteps(installation, (performance.now() - startedAt) / 1000, stop);
    const text = `\nEvery process has its log in ${installation.logsFolder}\n${firstSteps}`;
    process.stdout.write(text);
    process.send?.(text);
    process.disconnect?.();
    if (process.stdout.isTTY) table = showStatus(installation, process.stdout);
    return starting.move();
  },
});
