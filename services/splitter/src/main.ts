import { runServiceProcess } from '@audiosplit/chassis/process/service-process';
import { TOPIC_DECLARATIONS } from '@audiosplit/proto/topics';
import { readSplitterConfig, SETTINGS } from './config.ts';
import { METRICS } from './metrics.ts';
import { startSplitter } from './service.ts';

/** Time for handing jobs back and closing connections, after the grace for running jobs. */
const CLOSING_MS = 20_000;
let drainGraceMs = 0;

await runServiceProcess({
  name: 'splitter',
  metrics: METRICS,
  topics: TOPIC_DECLARATIONS,
  env: process.env,
  settings: SETTINGS,
  stopTimeoutMs: () => drainGraceMs + CLOSING_MS,
  async start(context) {
    const config = readSplitterConfig(process.env);
    drainGraceMs = config.drainGraceMs;
    return startSplitter(config, context);
  },
});
