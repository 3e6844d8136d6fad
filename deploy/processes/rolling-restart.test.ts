import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { rollingRestart } from './rolling-restart.ts';

function fake(
  processes: Readonly<Record<string, { isReplaceable?: boolean; code?: number | null; fails?: string }>>,
) {
  const events: string[] = [];
  let pid = 100;
  const list = Object.entries(processes).map(([name, { isReplaceable = true, code = 0, fails }]) => ({
    name,
    isReplaceable,
    identity: () => ({ pid: ++pid, startTicks: 1 }),
    async replace() {
      if (fails !== undefined) throw new Error(fails);
      events.push(`${name} ready`);
      const left = sleep(5, code);
      return { left: left.finally(() => events.push(`${name} gone`)) };
    },
  }));
  const reports: string[] = [];
  return {
    events,
    reports,
    run: () => rollingRestart(list, (name, text) => reports.push(`${name} ${text}`)),
  };
}

test('services are replaced before their callers, and predecessors end in the same order', async () => {
  const { events, reports, run } = fake({
    balancer: { isReplaceable: false },
    'gateway-0': {},
    'splitter-0': {},
    jobs: {},
  });
  await run();
  assert.deepEqual(
    events.filter((event) => event.endsWith('ready')),
    ['jobs ready', 'splitter-0 ready', 'gateway-0 ready'],
  );
  assert.ok(events.indexOf('jobs gone') < events.indexOf('splitter-0 gone'));
  assert.equal(events.at(-1), 'gateway-0 gone');
  assert.match(reports[0] ?? '', /^jobs replaced in \d+\.\d s \(pid 101 → 102\)$/);
});

test('a successor that does not become ready ends the restart, after the last predecessor has ended', async () => {
  const { events, run } = fake({
    'gateway-0': {},
    jobs: { fails: 'jobs is not replaced: no port' },
    auth: {},
  });
  await assert.rejects(run(), /jobs is not replaced: no port/);
  assert.deepEqual(events, ['auth ready', 'auth gone']);
});

test('processes that were killed or failed at exit are reported', async () => {
  const { run } = fake({ 'gateway-0': { code: null }, jobs: {}, auth: { code: 1 } });
  await assert.rejects(run(), /these did not leave by themselves: auth \(1\), gateway-0 \(killed\)$/);
});
