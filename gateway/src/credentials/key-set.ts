/**
 * The public keys that access tokens are verified against, held locally.
 *
 * A set is used for five minutes, so that a withdrawn key dies without a restart. A token that names a key
 * we do not hold makes us ask again at once, so that a rotation is never noticed; at most every ten seconds,
 * so that invented key ids cannot turn into load. While the issuer is away the last set stays in use.
 */
import type { Clock } from '@audiosplit/chassis/clock';
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';

const FRESH_MS = 5 * 60_000;
const MIN_RELOAD_INTERVAL_MS = 10_000;

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

export function createKeySet(load: () => Promise<JSONWebKeySet>, clock: Clock): KeySet {
  let held: LoadedKeys | undefined;
  let loading: Promise<LoadedKeys> | undefined;
  let lastAttemptMs = Number.NEGATIVE_INFINITY;

  const reload = () => {
    loading ??= (async () => {
      lastAttemptMs = clock().getTime();
      const keys = await load();
      held = { keys, find: createLocalJWKSet(keys), loadedAtMs: lastAttemptMs };
      return held;
    })().finally(() => {
      loading = undefined;
    });
    return loading;
  };
  const mayReload = () => clock().getTime() - lastAttemptMs >= MIN_RELOAD_INTERVAL_MS;
  const loaded = async () => {
    if (held === undefined) return reload();
    const isStale = clock().getTime() - held.loadedAtMs >= FRESH_MS;
    const last = held;
    return isStale && mayReload() ? reload().catch(() => last) : last;
  };

  return {
    current: async () => (await loaded()).keys,
    findKey: async (header, token) => {
      const keys = await loaded();
      try {
        return await keys.find(header, token);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey) || !mayReload()) throw error;
        return (await reload()).find(header, token);
      }
    },
  };
}
