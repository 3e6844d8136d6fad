import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createCommits } from './commits.ts';

/** Commits through a broker that responds when the test lets it. */
function openCommits() {
  const sent: string[][] = [];
  const answers: PromiseWithResolvers<void>[] = [];
  const commits = createCommits((positions) => {
    sent.push(positions.map(({ partition, offset }) => `${partition}:${offset}`));
    const answer = Promise.withResolvers<void>();
    answers.push(answer);
    return answer.promise;
  });
  return {
    sent,
    commit: (partition: number, offset: string) =>
      commits.commit(`${partition}`, { topic: 'topic', partition, offset }),
    drop: (partition: number) => commits.drop(`${partition}`),
    async answer(error?: Error) {
      if (error === undefined) answers.shift()?.resolve();
      else answers.shift()?.reject(error);
      await setImmediate();
    },
  };
}

test('one request is in flight; later offsets are sent with the next one, the last of each partition', async () => {
  const { commit, answer, sent } = openCommits();
  const first = commit(0, '1');
  await setImmediate();
  const later = [commit(1, '5'), commit(0, '2'), commit(1, '6')];
  await setImmediate();
  assert.deepEqual(sent, [['0:1']]);
  await answer();
  await first;
  assert.deepEqual(sent, [['0:1'], ['1:6', '0:2']]);
  await answer();
  await Promise.all(later);
  const last = commit(0, '3');
  await setImmediate();
  await answer();
  await last;
  assert.deepEqual(sent.at(-1), ['0:3']);
});

test('an offset that waits is not committed if its partition moves to another member', async () => {
  const { commit, drop, answer, sent } = openCommits();
  const first = commit(0, '1');
  await setImmediate();
  const [lost, kept] = [commit(1, '5'), commit(2, '7')];
  drop(1);
  await answer();
  await answer();
  await Promise.all([first, lost, kept]);
  assert.deepEqual(sent, [['0:1'], ['2:7']]);
  const gone = commit(1, '6');
  drop(1);
  await gone;
  assert.equal(sent.length, 2);
});

test('a request that fails affects only its own offsets, and does not delay the next one', async () => {
  const { commit, answer, sent } = openCommits();
  const failed = [commit(0, '1'), commit(1, '1')];
  const refusals = Promise.all(failed.map((one) => assert.rejects(one, /refused/)));
  await setImmediate();
  const next = commit(0, '2');
  await answer(new Error('refused'));
  await refusals;
  await answer();
  await next;
  assert.deepEqual(sent, [['0:1', '1:1'], ['0:2']]);
});
