/**
 * A process that exports metrics as each of ours does, and with the argument `leak` never releases what it
 * allocates.
 */
import { openSync } from 'node:fs';
import { startMetricsEndpoint } from '@audiosplit/chassis/observability/metrics-endpoint';
import { PROCESS_METRICS } from '@audiosplit/chassis/observability/shared-metrics';
import { createLogger } from '@audiosplit/chassis/process/log';

const EVERY_MS = 20;
const CHUNK_BYTES = 1_000_000;

const log = createLogger('leaky', 'info', { write: (line: string) => void process.stdout.write(line) });
await startMetricsEndpoint(
  { host: '127.0.0.1', port: 0 },
  { processes: ['jobs'], metrics: PROCESS_METRICS, log },
);
const kept: Buffer[] = [];
setInterval(() => {
  const chunk = Buffer.alloc(CHUNK_BYTES, 1);
  if (process.argv[2] !== 'leak') return;
  kept.push(chunk);
  openSync(import.meta.filename, 'r');
}, EVERY_MS);
