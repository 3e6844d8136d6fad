/** Counts do not depend on the machine, but a slow one adds polls; the bounds allow for them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { repositoryRoot } from '../../../deploy/launcher.mjs';
import { runPipeline } from './pipeline-run.ts';

/** Per job in a burst, on the Postgres bus. */
const MOST: Readonly<Record<string, number>> = {
  'round trips to the database': 46,
  "fsyncs of the database's log": 7,
  'fsyncs of files': 4,
  'new connections': 2.3,
  'calls between services': 9,
  'deliveries of messages': 5.1,
};

test('a job costs no more round trips, fsyncs, connections, calls and deliveries than it must', async () => {
  const figures = await runPipeline({
    root: repositoryRoot,
    settings: {},
    execArgv: [],
    jobs: 1,
    burst: 60,
    idleSeconds: 0,
  });
  for (const [name, most] of Object.entries(MOST)) {
    const counted = figures.get(`${name} a job, burst`);
    assert.ok(counted !== undefined && counted <= most, `${counted} ${name}, of at most ${most}`);
  }
});
