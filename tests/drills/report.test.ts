import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openJournal } from './journal.ts';
import { type CarriedOut, deviationsOf, renderProtocol } from './report.ts';

let nowMs = 0;
const journal = openJournal(
  () => nowMs,
  () => undefined,
);
journal.did('Redis is killed');
nowMs = 1_250;
journal.saw('a | and\na second line');
journal.expect('no request fails', true, '80 requests, none failed');
nowMs = 62_000;
journal.expect('the alert ends', false, 'after more than 15 s');
journal.measure('Requests that failed', '0 of 80');
const startedAt = new Date(Date.UTC(2026, 10, 22, 7, 5, 30));
const failed: CarriedOut = {
  title: 'Redis lost',
  what: 'It is killed.',
  startedAt,
  seconds: journal.secondsSoFar(),
  entries: journal.entries,
  measures: journal.measures,
};
const well = { ...failed, title: 'Bucket lost', entries: journal.entries.slice(0, 3), seconds: 9.6 };
const facts = { startedAt, seconds: 240, cores: 2, outageSeconds: 75, leaseSeconds: 30 };

test('only an unmet expectation is a deviation', () => {
  assert.deepEqual(
    deviationsOf(failed).map(({ text }) => text),
    ['the alert ends: after more than 15 s'],
  );
  assert.deepEqual(deviationsOf(well), []);
});

test('the report has the date, an outcome for each drill, and every entry with its time', () => {
  const page = renderProtocol(facts, [failed, well]);
  assert.match(page, /^- 2026-11-22 07:05 UTC, 4 min 0 s on 2 cores$/m);
  assert.match(
    page,
    /^\| Redis lost \| \*\*1 deviation\*\* \| 1 min 2 s \| Requests that failed: 0 of 80 \|$/m,
  );
  assert.match(page, /^\| Bucket lost \| as expected \| 10 s \| .* \|$/m);
  assert.match(page, /^\| 1\.3 \| saw \| a \\\| and a second line \|$/m);
  assert.match(page, /^\| 62\.0 \| \*\*deviation\*\* \| the alert ends: after more than 15 s \|$/m);
});
