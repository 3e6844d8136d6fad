/** A real splitter in a scripted installation, for tests of how it handles sources and parts. */
import { join } from 'node:path';
import type { Env } from '@audiosplit/chassis/process/env';
import type { RunningService, ServiceContext } from '@audiosplit/chassis/process/service';
import { testKeysOf } from '@audiosplit/chassis/testing/identities';
import { readSplitterConfig, type SplitterConfig } from '@audiosplit/splitter/config';
import { startSplitter } from '@audiosplit/splitter/service';
import type { ScriptedServices } from './scripted-services.ts';

interface ScriptedSplitterOptions {
  readonly env: Env;
  /** For values that the environment cannot set. */
  readonly adjust?: (config: SplitterConfig) => Partial<SplitterConfig>;
  readonly openStore?: ServiceContext['openStore'];
}

export function startScriptedSplitter(
  { context, folder }: ScriptedServices,
  { env, adjust = () => ({}), openStore = context.openStore }: ScriptedSplitterOptions,
): Promise<RunningService> {
  const { FFMPEG_PATH } = process.env;
  const config = readSplitterConfig({
    EGRESS_ALLOW_CIDRS: '127.0.0.0/8',
    SCRATCH_DIR: join(folder, 'scratch'),
    ...(FFMPEG_PATH === undefined ? {} : { FFMPEG_PATH }),
    ...env,
  });
  return startSplitter(
    { ...config, ...adjust(config) },
    { ...context, keys: testKeysOf('splitter'), openStore },
  );
}
