import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createProgress, type Terminal } from './progress.ts';

interface Screen extends Terminal {
  readonly written: string[];
}

function screen(options: { isTTY: boolean; columns?: number }): Screen {
  const written: string[] = [];
  return { ...options, written, write: (text) => written.push(text) };
}

function fakeClock() {
  let nowMs = 1_000;
  return {
    now: () => nowMs,
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

const lastOf = ({ written }: Screen) => (written.at(-1) ?? '').replace('\r\x1b[K', '');

test('a terminal shows phase, bar, percent, rate and time left in one line', () => {
  const clock = fakeClock();
  const terminal = screen({ isTTY: true, columns: 80 });
  const progress = createProgress(terminal, clock.now);
  progress.begin('upload', 10_000_000, 'bytes');
  assert.equal(lastOf(terminal), `upload   ${'░'.repeat(30)}   0%`);
  clock.pass(2_000);
  progress.advance(5_000_000);
  assert.equal(lastOf(terminal), `upload   ${'█'.repeat(15)}${'░'.repeat(15)}  50%  2.50 MB/s  0:02 left`);
  assert.ok(terminal.written.every((text) => text.startsWith('\r\x1b[K') && !text.includes('\n')));
});

test('no line is wider than the terminal, and a narrow one omits the bar', () => {
  for (const columns of [1, 10, 20, 30, 40, 60]) {
    const clock = fakeClock();
    const terminal = screen({ isTTY: true, columns });
    const progress = createProgress(terminal, clock.now);
    progress.begin('download', 1_000, 'bytes');
    clock.pass(1_000);
    progress.advance(400);
    assert.ok(lastOf(terminal).length < columns, `${columns}: ${lastOf(terminal)}`);
    assert.equal(lastOf(terminal).includes('█'), columns >= 60);
  }
});

test('redraws are limited, for any number of updates', () => {
  const clock = fakeClock();
  const terminal = screen({ isTTY: true });
  const progress = createProgress(terminal, clock.now);
  progress.begin('upload', 1_000, 'bytes');
  for (let done = 1; done <= 1_000; done++) {
    clock.pass(1);
    progress.advance(done);
  }
  assert.equal(terminal.written.length, 11);
});

test('without a terminal one plain line is written every 3 s', () => {
  const clock = fakeClock();
  const log = screen({ isTTY: false });
  const progress = createProgress(log, clock.now);
  progress.begin('split', 100, 'percent');
  for (let second = 1; second <= 9; second++) {
    clock.pass(1_000);
    progress.advance(second * 10);
  }
  assert.deepEqual(log.written, [
    'split 30%, 10.0 %/s, 0:07 left\n',
    'split 60%, 10.0 %/s, 0:04 left\n',
    'split 90%, 10.0 %/s, 0:01 left\n',
  ]);
});

test('time passing without progress lowers the rate', () => {
  const clock = fakeClock();
  const log = screen({ isTTY: false });
  const progress = createProgress(log, clock.now);
  progress.begin('split', 100, 'percent');
  clock.pass(5_000);
  progress.advance(50);
  clock.pass(5_000);
  progress.tick();
  assert.deepEqual(log.written, ['split 50%, 10.0 %/s, 0:05 left\n', 'split 50%, 5.0 %/s, 0:10 left\n']);
});

test('a note explains why there is no progress, until there is some', () => {
  const clock = fakeClock();
  const terminal = screen({ isTTY: true });
  const progress = createProgress(terminal, clock.now);
  progress.begin('split', 100, 'percent');
  progress.note('RATE_LIMITED, trying again in 12 s');
  assert.match(lastOf(terminal), /0% {2}RATE_LIMITED, trying again in 12 s$/);
  clock.pass(200);
  progress.advance(1);
  assert.doesNotMatch(lastOf(terminal), /RATE_LIMITED/);
});

test('figures that are not meaningful yet are omitted, and NaN is never shown', () => {
  const steps: readonly (readonly [ms: number, done: number])[] = [
    [0, 0],
    [0, 5],
    [1, 5],
    [600, 5],
    [0, 0],
    [1_000, 7],
    [1_000, 0],
    [1_000, 9],
  ];
  for (const total of [0, 5, 9]) {
    const clock = fakeClock();
    const terminal = screen({ isTTY: true });
    const progress = createProgress(terminal, clock.now);
    progress.begin('download', total, 'bytes');
    for (const [ms, done] of steps) {
      clock.pass(ms);
      progress.advance(done);
      progress.note('checked');
      assert.doesNotMatch(lastOf(terminal), /NaN|Infinity|undefined|-\d/);
      assert.ok(Number(/(\d+)%/.exec(lastOf(terminal))?.[1]) <= 100);
    }
  }
});

test('disposing ends with an empty line and writes nothing more', () => {
  const clock = fakeClock();
  const terminal = screen({ isTTY: true });
  const progress = createProgress(terminal, clock.now);
  progress.begin('split', 100, 'percent');
  progress[Symbol.dispose]();
  clock.pass(1_000);
  progress.tick();
  progress.advance(10);
  assert.equal(terminal.written.at(-1), '\r\x1b[K');
  assert.equal(terminal.written.length, 2);
});
