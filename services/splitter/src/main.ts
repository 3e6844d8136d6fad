import { runServiceProcess } from '@audiosplit/chassis/process/service-process';
import { readSplitterConfig } from './config.ts';
import { startSplitter } from './service.ts';

/** Handing jobs back and closing connections, once the grace for running jobs is over. */
const CLOSING_MS = 20_000;
let drainGraceMs = 0;

await runServiceProcess({
  name: 'splitter',
  env: process.env,
  stopTimeoutMs: () => drainGraceMs + CLOSING_MS,
  async start(context) {
    const config = readSplitterConfig(process.env);
    drainGraceMs = config.drainGraceMs;
    return startSplitter(config, context);
  },
});
