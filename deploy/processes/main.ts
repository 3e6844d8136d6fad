import { systemClock } from '@audiosplit/chassis/clock';
import { runProcess } from '@audiosplit/chassis/process/lifecycle';
import { loadSecretFiles } from '@audiosplit/chassis/process/secret-files';
import { remoteAddress } from '@audiosplit/chassis/rpc/client';
import { checkFfmpeg } from '@audiosplit/splitter/engine-setup';
import { holdDataDir } from '../embedded/data-dir.ts';
import { openDevelopmentAccount } from '../embedded/development-account.ts';
import { describeFirstSteps, SPLIT_WITHOUT_SERVER } from '../embedded/first-steps.ts';
import { readOrMakeSecrets, readSecrets } from '../embedded/installation-secrets.ts';
import { settleListenAddress } from '../embedded/listen-address.ts';
import { SETTINGS } from '../embedded/settings.ts';
import { Interrupted, onInterruption } from '../provision/interruption.ts';
import { helpOf, parseOptions } from '../provision/options.ts';
import { type Report, reportTo } from '../provision/progress.ts';
import { UP } from './command-line.ts';
import { runDetached } from './detach.ts';
import { startInstallation } from './installation.ts';
import {
  enginesToStart,
  processEnvironment,
  readInstallationConfig,
  secretEnvironment,
} from './installation-config.ts';
import { RESTART_SIGNAL } from './rolling-restart.ts';
import { describeChange, showStatus } from './status/terminal-status.ts';

/** Every phase of the stop has its own timeout; this one is for a phase that hangs in spite of it. */
const STOP_TIMEOUT_MS = 90_000;

await runProcess({
  name: 'audiosplit',
  stopTimeoutMs: () => STOP_TIMEOUT_MS,
  async start() {
    const startedAt = performance.now();
    const { help, detach, gateways, splitters, ...flags } = parseOptions(UP, process.argv.slice(2));
    if (help) {
      process.stdout.write(helpOf(UP));
      process.exit(0);
    }
    loadSecretFiles(process.env, SETTINGS);
    const config = readInstallationConfig(process.env, process.cwd());
    if (detach) {
      process.stdout.write(await runDetached(config.dataDir));
      process.exit(0);
    }
    const interruption = new AbortController();
    onInterruption((signal) => interruption.abort(new Interrupted(signal)));
    // Closing the terminal stops the installation, as Ctrl-C does.
    process.on('SIGHUP', () => process.kill(process.pid, 'SIGTERM'));
    await using starting = new AsyncDisposableStack();
    // A terminal shows a table from the moment everything runs until everything has stopped.
    let table: Disposable | undefined;
    starting.defer(async () => table?.[Symbol.dispose]());
    const toOutput = reportTo(process.stdout);
    const report: Report = (name, message) => {
      if (table === undefined) toOutput(name, message);
    };
    const { dataDir, databaseUrl, ffmpegPath } = config;
    starting.use(await holdDataDir(dataDir));
    const address = await settleListenAddress(config.host, config.port);
    const { baseUrl } = address;
    if (ffmpegPath !== undefined) await checkFfmpeg(ffmpegPath);
    const secrets = await readOrMakeSecrets(dataDir);
    const common = processEnvironment(process.env, config, { secrets, baseUrl, splitters });
    const installation = starting.use(
      await startInstallation({
        gateways,
        splitters,
        dataDir,
        address,
        report,
        env: { ...common, DATABASE_URL: databaseUrl },
        currentEnv: () => secretEnvironment(readSecrets(dataDir)),
        engines: enginesToStart(config),
        isRestricted: true,
        restarts: flags['no-restart'] ? 'none' : 'all',
        keepEngines: flags['keep-engines'],
        code: 'source',
        ownLogins: databaseUrl === undefined,
        databaseSecret: secrets.databaseSecret,
        signal: interruption.signal,
        onChange: (each) => report(each.name, describeChange(each)),
      }),
    );
    const development = await openDevelopmentAccount({
      dataDir,
      addressOf: (service) => remoteAddress(installation.rpcUrls[service] ?? ''),
      secrets,
      clock: systemClock,
    });
    process.on(RESTART_SIGNAL, () => void installation.restart());
    // Only a process that was detached by its parent has a channel to it.
    const isDetached = process.send !== undefined;
    const stop = isDetached ? 'Stop with npm run down.' : 'Stop with Ctrl-C.';
    const seconds = (performance.now() - startedAt) / 1_000;
    const firstSteps = describeFirstSteps(
      { baseUrl, development },
      seconds,
      `${SPLIT_WITHOUT_SERVER}\n${stop}`,
    );
    const text = `\nEvery process has its log in ${installation.logsFolder}\n${firstSteps}`;
    process.stdout.write(text);
    process.send?.(text);
    process.disconnect?.();
    if (process.stdout.isTTY) table = showStatus(installation, process.stdout);
    return starting.move();
  },
});
