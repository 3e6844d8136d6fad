import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ObservedInjection } from './observations.ts';
import { renderTable } from './report.ts';

const titles = new Map([
  ['splitter-kill', 'splitter: SIGKILL'],
  ['kafka-kill', 'Kafka: SIGKILL'],
  ['redis-kill', 'Redis: SIGKILL'],
]);

function injection(number: number, kind: string, recoveryMs: number | undefined): ObservedInjection {
  const common = {
    ...{ target: 'x', isKill: true, fromMs: 0, toMs: 1, runningJobs: 5 },
    ...{ problem: undefined, notifications: [] },
  };
  return { ...common, number, kind, recoveryMs };
}

test('the table has a row for each injected fault, and one for all', () => {
  const injections = [
    injection(1, 'splitter-kill', 4_200),
    injection(2, 'kafka-kill', undefined),
    injection(3, 'splitter-kill', 9_960),
  ];
  const stuck = { kind: 'stuck', subject: 'job_1', explanation: 'still queued', injections: [2, 3] } as const;
  assert.deepEqual(renderTable(titles, { injections }, [stuck]).split('\n'), [
    '| fault | injected | jobs running | lost | duplicated | billed twice | stuck | longest recovery |',
    '| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |',
    '| splitter: SIGKILL | 2 | 10 | 0 | 0 | 0 | 1 | 10.0 s |',
    '| Kafka: SIGKILL | 1 | 5 | 0 | 0 | 0 | 1 | never |',
    '| **all** | 3 | 15 | 0 | 0 | 0 | 1 | never |',
  ]);
});
