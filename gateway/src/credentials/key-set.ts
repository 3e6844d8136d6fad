/**
 * A cached key set, against which access tokens are verified.
 *
 * A set is used for five minutes, so that a withdrawn key stops working without a restart. A token with an unknown key
 * id triggers a reload, so that a rotation is seen at once, but at most every ten seconds, so that invented key ids
 * cause no load. While the issuer is unavailable the last set stays in use and is reloaded every second; a token that
 * needs a newer set fails with the error of the reload, not as a forgery.
 */
import type { Clock } from '@audiosplit/chassis/clock';
import type { Logger } from '@audiosplit/chassis/process/log';
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';

const FRESH_MS = 5 * 60_000;
const MIN_RELOAD_INTERVAL_MS = 10_000;
const RETRY_INTERVAL_MS = 1_000;

export interface KeySet {
  /** For jose's jwtVerify. */
  readonly findKey: JWTVerifyGetKey;
  current(): Promise<JSONWebKeySet>;
}

interface LoadedKeys {
  readonly keys: JSONWebKeySet;
  readonly find: ReturnType<typeof createLocalJWKSet>;
  readonly loadedAtMs: number;
}

interface FailedLoad {
  readonly reason: unknown;
}

interface KeySetOptions {
  /** Rejects with the error for the request if no keys are known. */
  readonly load: () => Promise<JSONWebKeySet>;
  readonly clock: Clock;
  readonly log: Logger;
}

export function createKeySet({ load, clock, log }: KeySetOptions): KeySet {
  let held: LoadedKeys | undefined;
  let loading: Promise<LoadedKeys> | undefined;
  let lastAttemptMs = Number.NEGATIVE_INFINITY;
  let failed: FailedLoad | undefined;

  const reload = () => {
    loading ??= (async () => {
      lastAttemptMs = clock().getTime();
      try {
        const keys = await load();
        held = { keys, find: createLocalJWKSet(keys), loadedAtMs: lastAttemptMs };
        failed = undefined;
        return held;
      } catch (reason) {
        if (failed === undefined && held !== undefined)
          log.warn({ err: reason }, 'the key set of access tokens cannot be read; the last one stays in use');
        failed = { reason };
        throw reason;
      }
    })().finally(() => {
      loading = undefined;
    });
    return loading;
  };
  /** Rejects with the last error if it is too early for another attempt. */
  const reloadInTime = (otherwise: unknown) => {
    const intervalMs = failed === undefined ? MIN_RELOAD_INTERVAL_MS : RETRY_INTERVAL_MS;
    if (loading !== undefined || clock().getTime() - lastAttemptMs >= intervalMs) return reload();
    return Promise.reject(failed === undefined ? otherwise : failed.reason);
  };
  const loaded = async () => {
    if (held === undefined) return reloadInTime(undefined);
    const last = held;
    const isStale = clock().getTime() - last.loadedAtMs >= FRESH_MS;
    if (!isStale) return last;
    const newer = reloadInTime(undefined).catch(() => last);
    // Do not wait for an issuer that is known to be unavailable.
    return failed === undefined ? newer : last;
  };

  return {
    current: async () => (await loaded()).keys,
    findKey: async (header, token) => {
      const keys = await loaded();
      try {
        return await keys.find(header, token);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
        return (await reloadInTime(error)).find(header, token);
      }
    },
  };
}
