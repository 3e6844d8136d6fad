import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRandom } from '../../harness/random.ts';
import { createProcess } from './process.ts';
import { createWorld } from './world.ts';

const aWorld = () => createWorld(createRandom(1), 1_000);

test('events happen one at a time in the order of their times', async () => {
  const world = aWorld();
  const happened: string[] = [];
  world.schedule(20, () => happened.push(`late at ${world.nowMs()}`));
  world.schedule(10, () => happened.push(`early at ${world.nowMs()}`));
  world.schedule(10, () => happened.push('early, but second'));
  assert.equal(await world.step(), true);
  assert.deepEqual(happened, ['early at 1010']);
  while (await world.step());
  assert.deepEqual(happened, ['early at 1010', 'early, but second', 'late at 1020']);
});

test('after a leap due events happen late, once', async () => {
  const world = aWorld();
  let at = 0;
  world.schedule(10, () => {
    at = world.nowMs();
  });
  world.leap(5_000);
  await world.step();
  assert.equal(at, 6_000);
});

test('no event happens in a dead process', async () => {
  const world = aWorld();
  const process = createProcess('worker');
  let happened = false;
  process.run(() =>
    world.schedule(10, () => {
      happened = true;
    }),
  );
  process.kill();
  assert.equal(await world.step(), false);
  assert.equal(happened, false);
});

test('events due in a frozen process happen when it resumes, in order', async () => {
  const world = aWorld();
  const process = createProcess('worker');
  const happened: string[] = [];
  process.run(() => {
    world.schedule(10, () => happened.push(`first at ${world.nowMs()}`));
    world.schedule(20, () => happened.push(`second at ${world.nowMs()}`));
  });
  world.schedule(15, () => happened.push('elsewhere'));
  process.freezeUntil(1_500);
  while (await world.step());
  assert.deepEqual(happened, ['elsewhere', 'first at 1500', 'second at 1500']);
});

test('the next event waits for work in flight', async () => {
  const world = aWorld();
  const { promise, resolve } = Promise.withResolvers<void>();
  const happened: string[] = [];
  world.schedule(1, () => void world.track(promise).then(() => happened.push('work')));
  world.schedule(2, () => happened.push('event'));
  const stepped = world.step();
  setImmediate(resolve);
  await stepped;
  await world.step();
  assert.deepEqual(happened, ['work', 'event']);
});
