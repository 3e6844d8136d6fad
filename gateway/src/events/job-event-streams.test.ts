import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ServiceError, UnavailableError } from '@audiosplit/chassis/errors';
import { createLogger, silentLogger } from '@audiosplit/chassis/process/log';
import { until } from '@audiosplit/chassis/testing/until';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { FetchProgressSchema, JobStatus } from '@audiosplit/proto/jobs/v1/jobs';
import { create } from '@bufbuild/protobuf';
import type { JobNotice } from '../mapping/splits.ts';
import { type JobEvent, NOTHING_ID } from './job-event.ts';
import { createJobEventStreams, type StreamRequest } from './job-event-streams.ts';
import type { Sighting } from './job-watch.ts';
import { createStreamSlots } from './stream-slots.ts';

const processing = (progressPercent: number) => ({ status: JobStatus.PROCESSING, progressPercent });
const NOTICE: JobNotice = {
  id: 'job_1',
  status: 'completed',
  splitMode: 'duration',
  segmentDuration: 10,
  segmentCount: 1,
  createdAt: '2026-03-01T12:00:00.000Z',
  completedAt: '2026-03-01T12:00:01.000Z',
};

const REQUEST: StreamRequest = {
  accountId: 'acc_1',
  address: '203.0.113.1',
  jobId: 'job_1',
  state: processing(1),
  seenId: NOTHING_ID,
  checkAccess: async () => undefined,
  readNotice: async () => NOTICE,
};

function setUp({ heartbeatEveryMs = 3_600_000, log = silentLogger() } = {}) {
  const followers = new Set<(seen: Sighting) => void>();
  const streams = createJobEventStreams({
    watch: {
      follow(_jobId, tell) {
        followers.add(tell);
        return () => followers.delete(tell);
      },
      [Symbol.dispose]: () => followers.clear(),
    },
    log,
    heartbeatEveryMs,
    slots: createStreamSlots({ perAccount: 2, perAddress: 3 }),
  });
  const open = (request: Partial<StreamRequest> = {}) => {
    const stream = streams.open({ ...REQUEST, ...request });
    let text = '';
    return { stream, text: () => text, read: () => stream.on('data', (chunk) => (text += chunk)) };
  };
  return { streams, followers, open, tell: (seen: Sighting) => followers.forEach((each) => void each(seen)) };
}

describe('streams of job events', () => {
  test('a slow client receives the newest event, and events do not accumulate', async () => {
    const { open, tell } = setUp();
    const { stream, text, read } = open();
    await until(() => stream.readableLength > 0);
    for (let progress = 2; progress < 100; progress++) tell(processing(progress));
    read();
    await until(() => stream.readableLength === 0);
    tell(processing(99));
    await until(() => text().includes('id: 99\n'));
    assert.deepEqual(text().match(/(?<=id: )\d+/g), ['1', '99']);
    stream.destroy();
  });

  test('a page receives events for fetched bytes; a program receives each percentage once', async () => {
    const fetching = (bytes: bigint) => ({
      ...processing(0),
      fetching: create(FetchProgressSchema, { fetchedBytes: bytes, totalBytes: 9n }),
    });
    const { streams, open, tell } = setUp();
    const program = open({ state: fetching(0n) });
    program.read();
    const events: JobEvent[] = [];
    const page = streams.openEvents({ ...REQUEST, state: fetching(0n) });
    page.on('data', (event) => events.push(event));
    await until(() => events.length === 1);
    for (const state of [fetching(4n), processing(0), processing(1)]) {
      const known = events.length;
      tell(state);
      await until(() => events.length === known + 1);
      tell(state);
    }
    const sent = events.map(
      (event) => event.type === 'progress' && [event.id, event.data.fetching?.fetchedBytes],
    );
    assert.deepEqual(sent, [
      [0, 0],
      [0, 4],
      [0, undefined],
      [1, undefined],
    ]);
    await until(() => program.text().includes('id: 1\n'));
    // A program receives changes of progress and phase, not every byte.
    assert.deepEqual(program.text().match(/(?<=data: ).*/g), [
      '{"progress":0,"phase":"fetching","fetching":{"fetchedBytes":0,"totalBytes":9}}',
      '{"progress":0,"phase":"cutting"}',
      '{"progress":1,"phase":"cutting"}',
    ]);
    page.destroy();
    program.stream.destroy();
  });

  test('a reconnecting page receives the state of the job, also at the same percentage', async () => {
    const { streams } = setUp();
    const events: JobEvent[] = [];
    const page = streams.openEvents({ ...REQUEST, state: processing(0), seenId: 0 });
    page.on('data', (event) => events.push(event));
    await until(() => events.length === 1);
    assert.deepEqual(events, [{ id: 0, type: 'progress', data: { progress: 0, phase: 'cutting' } }]);
    page.destroy();
    const { open, tell } = setUp();
    const program = open({ state: processing(0), seenId: 0 });
    program.read();
    await until(() => {
      tell(processing(1));
      return program.text().includes('id: 1\n');
    });
    assert.doesNotMatch(program.text(), /id: 0\n/);
    program.stream.destroy();
  });

  test('a page receives no event for a job that waits for its turn', async () => {
    const { streams, tell } = setUp();
    const events: JobEvent[] = [];
    const page = streams.openEvents({ ...REQUEST, state: { status: JobStatus.QUEUED, progressPercent: 0 } });
    page.on('data', (event) => events.push(event));
    await until(() => {
      tell(processing(1));
      return events.length > 0;
    });
    assert.equal(events[0]?.id, 1);
    page.destroy();
  });

  test('an event whose access check fails temporarily is sent later', async () => {
    const { open, tell } = setUp();
    let isAway = true;
    const { stream, text, read } = open({
      async checkAccess() {
        if (isAway) throw new UnavailableError(new Error('the auth service is away'));
      },
    });
    read();
    await until(() => text().endsWith(':\n\n'));
    assert.doesNotMatch(text(), /event:/);
    isAway = false;
    tell(processing(1));
    await until(() => text().endsWith('data: {"progress":1,"phase":"cutting"}\n\n'));
    stream.destroy();
  });

  test('an end that cannot be read temporarily is sent later', async () => {
    const { open, tell } = setUp();
    let isAway = true;
    const { stream, text, read } = open({
      async readNotice() {
        if (isAway) throw new UnavailableError(new Error('the jobs service is away'));
        return NOTICE;
      },
    });
    read();
    const end = { status: JobStatus.COMPLETED, progressPercent: 100 };
    await until(() => text().includes('id: 1\n'));
    tell(end);
    await until(() => text().endsWith(':\n\n'));
    isAway = false;
    tell(end);
    await until(() => stream.destroyed);
    assert.match(text(), /id: 101\nevent: completed\ndata: \{"id":"job_1".*\}\n\n$/);
  });

  test('the error that delays an event is logged once, and again if it returns', async () => {
    const lines: unknown[] = [];
    const { open, tell } = setUp({
      log: createLogger('test', 'warn', { write: (line) => void lines.push(JSON.parse(line)) }),
    });
    let isAway = true;
    const { stream, text, read } = open({
      async checkAccess() {
        if (isAway) throw new UnavailableError(new Error('the auth service is away'));
      },
    });
    read();
    const fail = async (progress: number) => {
      const before = text().length;
      tell(processing(progress));
      await until(() => text().length > before);
    };
    await until(() => text().endsWith(':\n\n'));
    await fail(2);
    await fail(3);
    const logged = () =>
      lines.map((line) => Object(line)).map(({ level, jobId, msg }) => ({ level, jobId, msg }));
    const warning = {
      level: 40,
      jobId: 'job_1',
      msg: 'a job event is delayed by an error, and is sent later',
    };
    assert.deepEqual(logged(), [warning]);
    assert.match(JSON.stringify(lines), /the auth service is away/);
    isAway = false;
    tell(processing(4));
    await until(() => text().includes('id: 4\n'));
    isAway = true;
    await fail(5);
    assert.deepEqual(logged(), [warning, warning]);
    stream.destroy();
  });

  test('a caller whose access is revoked receives no more events', async () => {
    const { open, tell, followers } = setUp();
    let isRevoked = false;
    const { stream, text, read } = open({
      async checkAccess() {
        if (isRevoked) throw new ServiceError(Reason.UNAUTHORIZED, 'The API key is not valid.');
      },
    });
    read();
    await until(() => text().includes('id: 1\n'));
    isRevoked = true;
    tell(processing(2));
    await until(() => stream.destroyed);
    assert.doesNotMatch(text(), /id: 2/);
    assert.equal(followers.size, 0);
  });

  test('an internal error ends the stream', async () => {
    const { open } = setUp();
    const { stream, text, read } = open({
      state: { status: JobStatus.COMPLETED, progressPercent: 100 },
      readNotice: () => Promise.reject(new Error('a job without a mode')),
    });
    read();
    await until(() => stream.destroyed);
    assert.equal(text(), 'retry: 2000\n\n');
  });

  test('comments are sent while there are no events', async () => {
    const { open } = setUp({ heartbeatEveryMs: 1 });
    const { stream, text, read } = open({ state: { status: JobStatus.QUEUED, progressPercent: 0 } });
    read();
    await until(() => (text().match(/^:$/gm)?.length ?? 0) >= 3, 'three heartbeats');
    assert.match(text(), /^retry: 2000\n\n(?::\n\n)+$/);
    stream.destroy();
  });

  test('a stream that is abandoned is removed, and its slot is free', async () => {
    const { open, followers } = setUp();
    const [first, second] = [open(), open()];
    assert.throws(() => open(), /has 2 streams open/);
    open({ accountId: 'acc_2' }).stream.destroy();
    first.stream.destroy();
    assert.equal(followers.size, 1);
    open().stream.destroy();
    second.stream.destroy();
    assert.equal(followers.size, 0);
  });

  test('a new stream after the end only says when to reconnect', async () => {
    const { streams, open, followers } = setUp();
    const running = open();
    running.read();
    await until(() => running.text().includes('id: 1\n'));
    streams[Symbol.dispose]();
    const late = open();
    late.read();
    await until(() => running.stream.destroyed && late.stream.destroyed);
    assert.equal(late.text(), 'retry: 2000\n\n');
    assert.equal(followers.size, 0);
  });
});
