/** What `npm run up` starts: the installation that its environment and its options describe. */
import { systemClock } from '@audiosplit/chassis/clock';
import type { Env } from '@audiosplit/chassis/process/env';
import { remoteAddress } from '@audiosplit/chassis/rpc/client';
import { checkFfmpeg } from '@audiosplit/splitter/media/ffmpeg/binary';
import type { LocalConfig } from '../embedded/config.ts';
import { holdDataDir } from '../embedded/data-dir.ts';
import { openDevelopmentAccount } from '../embedded/development-account.ts';
import { readOrMakeSecrets } from '../embedded/installation-secrets.ts';
import { settleListenAddress } from '../embedded/listen-address.ts';
import { type InstallationOptions, startInstallation } from './installation.ts';
import { enginesToStart, processEnvironment } from './installation-config.ts';

interface ConfiguredOptions
  extends Pick<
    InstallationOptions,
    'gateways' | 'splitters' | 'keepEngines' | 'signal' | 'report' | 'onChange'
  > {
  readonly config: LocalConfig;
  readonly env: Env;
  /** Of processes and engines that die. */
  readonly restart: boolean;
}

/** Throws ConfigError, StartError. */
export async function startConfiguredInstallation(options: ConfiguredOptions) {
  const { config, env, restart, splitters } = options;
  const { dataDir, databaseUrl } = config;
  await using starting = new AsyncDisposableStack();
  starting.use(await holdDataDir(dataDir));
  const address = await settleListenAddress(config.host, config.port);
  if (config.ffmpegPath !== undefined) await checkFfmpeg(config.ffmpegPath);
  const secrets = await readOrMakeSecrets(dataDir);
  const common = processEnvironment(env, config, { secrets, baseUrl: address.baseUrl, splitters });
  const installation = starting.use(
    await startInstallation({
      ...options,
      dataDir,
      env: { ...common, DATABASE_URL: databaseUrl },
      engines: enginesToStart(config),
      address,
      restarts: restart ? 'all' : 'none',
      code: 'source',
      ownLogins: databaseUrl === undefined,
    }),
  );
  const development = await openDevelopmentAccount({
    dataDir,
    addressOf: (service) => remoteAddress(installation.rpcUrls[service] ?? ''),
    internalSecret: secrets.internalSecret,
    clock: systemClock,
  });
  const running = starting.move();
  return { installation, development, [Symbol.asyncDispose]: () => running.disposeAsync() };
}
