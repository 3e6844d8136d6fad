import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect as connectTo, createServer, type Server, type Socket } from 'node:net';
import { after, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '@audiosplit/chassis/clock';
import { silentLogger } from '@audiosplit/chassis/process/log';
import { until } from '@audiosplit/chassis/testing/until';
import { createClient } from 'redis';
import { testRateLimiterContract } from './rate-limiter.contract.ts';
import { openRedisRateLimiter, type RedisRateLimiter } from './redis.ts';

const url = process.env.TEST_REDIS_URL;
if (url === undefined)
  throw new Error('TEST_REDIS_URL is not set: give redis://host:port of a server for tests');

const admin = createClient({ url });
await admin.connect();
after(() => admin.destroy());
// A gateway that was not closed stays registered for a while.
beforeEach(() => admin.del('audiosplit:gateways'));

async function nowMs(): Promise<number> {
  const [seconds, microseconds] = (await admin.sendCommand(['TIME'])) as unknown as [string, string];
  return Number(seconds) * 1_000 + Number(microseconds) / 1_000;
}

const open = (to: string, windowSeconds?: number) =>
  openRedisRateLimiter({
    url: to,
    log: silentLogger(),
    clock: systemClock,
    ...(windowSeconds === undefined ? {} : { windowSeconds }),
  });

testRateLimiterContract('Redis', {
  open: (windowSeconds) => Promise.all([open(url, windowSeconds), open(url, windowSeconds)]),
  nowMs,
  async nextWindow(windowSeconds) {
    const windowMs = windowSeconds * 1_000;
    const end = Math.ceil(((await nowMs()) + 1) / windowMs) * windowMs;
    while ((await nowMs()) < end) await sleep(10);
  },
});

test('continues to count after the server has forgotten its scripts', async () => {
  await using limiter = await open(url);
  const bucket = `forgotten-${process.pid}-${performance.now()}`;
  await limiter.take(bucket, 10);
  await admin.sendCommand(['SCRIPT', 'FLUSH']);
  await limiter.take(bucket, 10);
  assert.equal(limiter.degraded, false);
});

test('counts with a login of an earlier release, which may not look, without being degraded', async () => {
  const rights = 'ping eval evalsha time incr pexpire pexpireat zadd zcard zrem zremrangebyscore hello';
  const rules = ['on', '>secret', '~audiosplit:*', '-@all', ...rights.split(' ').map((each) => `+${each}`)];
  await admin.sendCommand(['ACL', 'SETUSER', 'former', 'reset', ...rules]);
  await using limiter = await open(url.replace('//', '//former:secret@'));
  const bucket = `former-${process.pid}-${performance.now()}`;
  assert.equal((await limiter.look(bucket, 1)).allowed, true);
  await limiter.remember(bucket, 10);
  assert.equal(await limiter.remembers(bucket), false);
  assert.equal((await limiter.take(bucket, 1)).allowed, true);
  assert.equal((await limiter.look(bucket, 1)).allowed, false, 'what this gateway knows is spent');
  assert.equal(limiter.degraded, false);
  await admin.sendCommand(['ACL', 'DELUSER', 'former']);
});

test('sends no request for a bucket that is exhausted', async () => {
  await using limiter = await open(url);
  const bucket = `exhausted-${process.pid}-${performance.now()}`;
  for (let call = 0; call < 50; call++) await limiter.take(bucket, 3);
  assert.equal(await admin.get(`audiosplit:rate:${bucket}`), '3');
});

test('leaves nothing in Redis beyond the window', async () => {
  await using limiter = await open(url);
  const bucket = `expiring-${process.pid}-${performance.now()}`;
  const { resetAtSeconds } = await limiter.take(bucket, 10);
  const expiry = Number(await admin.sendCommand(['PEXPIRETIME', `audiosplit:rate:${bucket}`]));
  assert.equal(expiry, resetAtSeconds * 1_000 - 1);
});

test('counts locally while Redis is unavailable, and together again afterwards: one warning, and a count', async () => {
  const logged: string[] = [];
  const log = silentLogger();
  await using gate = await openGate(url);
  await using _other = await open(url);
  await using limiter = await openRedisRateLimiter({
    url: gate.url,
    clock: systemClock,
    log: Object.assign(log, {
      warn: () => void logged.push('warn'),
      info: () => void logged.push('info'),
    }),
  });
  assert.equal(limiter.degraded, false);
  assert.equal(limiter.degradedCalls, 0);
  await gate.close();
  await passesLocalShare(limiter);
  assert.ok(limiter.degradedCalls >= 20);
  assert.deepEqual(logged, ['warn']);
  await gate.reopen();
  await until(() => !limiter.degraded);
  assert.deepEqual(logged, ['warn', 'info']);
  const bucket = `back-${process.pid}-${performance.now()}`;
  await limiter.take(bucket, 10);
  assert.equal(await admin.get(`audiosplit:rate:${bucket}`), '1');
});

test('knows how many gateways share the limits', async () => {
  await using first = await open(url);
  assert.equal(first.gateways, 2, 'others may be starting as well');
  {
    await using second = await open(url);
    await using third = await open(url);
    assert.deepEqual([second.gateways, third.gateways], [2, 3]);
  }
  await using later = await open(url);
  assert.equal(later.gateways, 2, 'those that have stopped do not count');
});

test('a single gateway without Redis allows the whole limit, and at least one call', async () => {
  await using gate = await openGate(url);
  await using limiter = await open(gate.url);
  await until(() => limiter.gateways === 1, 'its second word to the others');
  await gate.close();
  const allowed = async (limit: number) => {
    const bucket = `alone-${performance.now()}`;
    const verdicts = [];
    for (let call = 0; call < 12; call++) verdicts.push(await limiter.take(bucket, limit));
    return verdicts.filter((verdict) => verdict.allowed).length;
  };
  await windowWithTimeLeft();
  assert.deepEqual([await allowed(10), await allowed(1)], [10, 1]);
});

test('does not wait for a Redis that does not respond', async () => {
  await using gate = await openGate(url);
  await using _other = await open(url);
  await using limiter = await open(gate.url);
  gate.freeze();
  const started = performance.now();
  await passesLocalShare(limiter);
  assert.ok(performance.now() - started < 2_000);
  gate.thaw();
  await until(() => !limiter.degraded);
});

test('starts without Redis', async () => {
  await using gate = await openGate(url);
  await gate.close();
  await using limiter = await open(gate.url);
  await passesLocalShare(limiter);
  await gate.reopen();
  await until(() => !limiter.degraded);
});

/** A local window that ends in the middle would let more through. */
async function windowWithTimeLeft(): Promise<void> {
  const leftMs = 60_000 - (Date.now() % 60_000);
  if (leftMs < 3_000) await sleep(leftMs);
}

/** One of two gateways: half of the limit, and at least one call. */
async function passesLocalShare(limiter: RedisRateLimiter): Promise<void> {
  await windowWithTimeLeft();
  const bucket = `local-${performance.now()}`;
  const verdicts = [];
  for (let call = 0; call < 20; call++) verdicts.push(await limiter.take(bucket, 10));
  assert.equal(limiter.degraded, true);
  assert.equal(verdicts.filter((verdict) => verdict.allowed).length, 5);
  assert.ok(verdicts.every((verdict) => verdict.limit === 10));
  assert.equal((await limiter.look(`${bucket}-unused`, 10)).count, 0, 'an unused window has no calls');
  assert.equal((await limiter.look(bucket, 10)).count, 20, 'the calls of this gateway');
  assert.equal((await limiter.take(`${bucket}-small`, 1)).allowed, true);
  await limiter.check();
}

interface Gate extends AsyncDisposable {
  readonly url: string;
  /** Ends all connections and refuses new ones. */
  close(): Promise<void>;
  reopen(): Promise<void>;
  /** Keeps connections open and forwards nothing. */
  freeze(): void;
  thaw(): void;
}

/** A proxy between a limiter and Redis. */
async function openGate(target: string): Promise<Gate> {
  const { hostname, port: targetPort } = new URL(target);
  const sockets = new Set<Socket>();
  let server: Server | undefined;
  let port = 0;
  const listen = async () => {
    server = createServer((incoming) => {
      const outgoing = connectTo(Number(targetPort), hostname);
      for (const socket of [incoming, outgoing]) {
        sockets.add(socket);
        socket.on('error', () => undefined);
        socket.once('close', () => {
          sockets.delete(socket);
          incoming.destroy();
          outgoing.destroy();
        });
      }
      incoming.pipe(outgoing).pipe(incoming);
    });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  };
  const close = async () => {
    if (server === undefined) return;
    const closed = once(server, 'close');
    server.close();
    server = undefined;
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  await listen();
  return {
    url: `redis://127.0.0.1:${port}`,
    close,
    reopen: listen,
    freeze() {
      for (const socket of sockets) socket.unpipe().pause();
    },
    thaw() {
      const [incoming, outgoing] = sockets;
      assert.ok(incoming && outgoing);
      incoming.pipe(outgoing).pipe(incoming);
    },
    [Symbol.asyncDispose]: close,
  };
}
