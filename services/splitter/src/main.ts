import { runServiceProcess } from '@audiosplit/chassis/service-process';
import { readSplitterConfig } from './config.ts';
import { startSplitter } from './service.ts';

const config = readSplitterConfig(process.env);

await runServiceProcess({
  name: 'splitter',
  env: process.env,
  stopTimeoutMs: config.drainGraceMs + 20_000,
  start: (context) => startSplitter(config, context),
});
