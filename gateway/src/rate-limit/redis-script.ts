/**
 * Counts one call in Redis on the server's clock, or reads the count: atomically, in one round trip.
 *
 * A bucket's key expires with its window. Redis drops a key once its clock is past the expiry, so the expiry is the
 * last millisecond of the window, and the key is gone at the reset.
 */
import { createHash } from 'node:crypto';

/** KEYS[1]: the bucket. ARGV[1]: the window in seconds. Returns count, Unix time of the reset, ms until then. */
const COUNT_SCRIPT = `
local time = redis.call('TIME')
local seconds = tonumber(time[1])
local window = tonumber(ARGV[1])
local reset = seconds - seconds % window + window
local count = redis.call('INCR', KEYS[1])
if count == 1 then
  redis.call('PEXPIREAT', KEYS[1], string.format('%d', reset * 1000 - 1))
end
return { count, reset, reset * 1000 - seconds * 1000 - math.floor(tonumber(time[2]) / 1000) }
`;

/** The same without counting a call. */
const LOOK_SCRIPT = `
local time = redis.call('TIME')
local seconds = tonumber(time[1])
local window = tonumber(ARGV[1])
local reset = seconds - seconds % window + window
local count = tonumber(redis.call('GET', KEYS[1]) or 0)
return { count, reset, reset * 1000 - seconds * 1000 - math.floor(tonumber(time[2]) / 1000) }
`;

const COUNT = scriptOf(COUNT_SCRIPT);
const LOOK = scriptOf(LOOK_SCRIPT);

interface Script {
  readonly text: string;
  readonly sha1: string;
}

function scriptOf(text: string): Script {
  return { text, sha1: createHash('sha1').update(text).digest('hex') };
}

interface Count {
  readonly count: number;
  readonly resetAtSeconds: number;
  readonly untilResetMs: number;
}

type SendCommand = (args: readonly string[]) => Promise<unknown>;

export function countCall(send: SendCommand, key: string, windowSeconds: number): Promise<Count> {
  return run(COUNT, send, key, windowSeconds);
}

export function lookAtCalls(send: SendCommand, key: string, windowSeconds: number): Promise<Count> {
  return run(LOOK, send, key, windowSeconds);
}

async function run(script: Script, send: SendCommand, key: string, windowSeconds: number): Promise<Count> {
  const args = ['1', key, String(windowSeconds)];
  const reply = await send(['EVALSHA', script.sha1, ...args]).catch((error: unknown) => {
    // A restarted server does not know the script. EVAL runs and caches it.
    if (error instanceof Error && error.message.startsWith('NOSCRIPT')) {
      return send(['EVAL', script.text, ...args]);
    }
    throw error;
  });
  const [count, resetAtSeconds, untilResetMs] = Array.isArray(reply) ? reply.map(Number) : [];
  if (count === undefined || resetAtSeconds === undefined || untilResetMs === undefined) {
    throw new Error('Redis gave no count');
  }
  return { count, resetAtSeconds, untilResetMs };
}
