/**
 * Benchmarks the request path against its goals: the gateway against a bare Fastify server, an internal call against
 * the stock transports, the limiter, and the whole system against one of stock parts.
 *
 *   node --conditions=audiosplit-source gateway/bench/bench-api.ts [--requests 10000] [--rounds 5]
 *     [--only gateway,hop,limiter,whole]
 *
 * Figures are CPU time of the measured processes, and ratios within one round, because machines drift. With REDIS_URL,
 * limits are counted there, otherwise in memory. The whole system uses the Postgres of TEST_DATABASE_URL. A missed goal
 * is marked in the table and does not fail the run.
 */
import { execFile } from 'node:child_process';
import { parseArgs, promisify } from 'node:util';
import { pinTo } from './child-server.ts';
import { measureGateway } from './gateway-rows.ts';
import { measureHop } from './hop-rows.ts';
import { measureLimiter } from './limiter-rows.ts';
import { type Bench, formatReport, type Row } from './report.ts';
import { measureSystem } from './system-rows.ts';

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '5' },
    only: { type: 'string', default: 'gateway,hop,limiter,whole' },
  },
});
const bench: Bench = {
  requests: positive('requests', values.requests),
  rounds: positive('rounds', values.rounds),
  redisUrl: process.env.REDIS_URL,
  progress: (line) => process.stderr.write(`${line}\n`),
};
const only = new Set(values.only.split(','));

// This process makes the load, on the other core.
const [taskset, ...pinned] = pinTo('other');
if (taskset !== undefined) await promisify(execFile)(taskset, ['-p', ...pinned, String(process.pid)]);

const rows: Row[] = [];
if (only.has('gateway')) {
  const { rows: measured, profile } = await measureGateway(bench);
  rows.push(...measured);
  process.stdout.write('Where the time of a gateway goes that reads jobs:\n\n');
  for (const { module, share } of profile.slice(0, 14)) {
    process.stdout.write(`  ${(share * 100).toFixed(1).padStart(5)} %  ${module}\n`);
  }
  process.stdout.write('\n');
}
if (only.has('hop')) rows.push(...(await measureHop(bench)));
if (only.has('limiter')) rows.push(...(await measureLimiter(bench)));
if (only.has('whole')) rows.push(...(await measureSystem(bench)));
process.stdout.write(`${formatReport(rows)}\n`);

function positive(name: string, value: string): number {
  const number = Number(value);
  if (!Number.isInteger(number) || number < 1) throw new Error(`--${name} takes a whole number above 0`);
  return number;
}
