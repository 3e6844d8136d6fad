/**
 * The variables by which each process signs in to the restricted engines of a folder, instead of an
 * administrator's.
 */
import type { Env } from '@audiosplit/chassis/process/env';
import { ENGINE_ACCESS, ENGINE_USERS, type EngineUser, passwordOf, usesKafka } from './access.ts';
import type { EngineRecord } from './engine.ts';
import { readState } from './engines-state.ts';

export type ProcessLogins = Readonly<Record<EngineUser, Env>>;

/** An undefined variable must not be set for the process: it does not use that engine. */
export function readProcessLogins(dir: string): ProcessLogins {
  const state = readState(dir);
  const loginsOf = (user: EngineUser): Env => ({
    ...(state.kafka?.restricted === true && kafkaLogin(user, state.kafka)),
    ...(state.redis?.restricted === true && redisLogin(user, state.redis)),
    ...(state.versitygw?.restricted === true && storageLogin(user, state.versitygw)),
  });
  return Object.fromEntries(ENGINE_USERS.map((user) => [user, loginsOf(user)])) as ProcessLogins;
}

function kafkaLogin(user: EngineUser, { secret }: EngineRecord): Env {
  const isUser = usesKafka(user);
  return {
    KAFKA_SASL_MECHANISM: isUser ? 'plain' : undefined,
    KAFKA_SASL_USERNAME: isUser ? user : undefined,
    KAFKA_SASL_PASSWORD: isUser ? passwordOf(user, secret) : undefined,
  };
}

function redisLogin(user: EngineUser, { secret, endpoints }: EngineRecord): Env {
  const url = URL.parse(endpoints.redisUrl ?? '');
  if (ENGINE_ACCESS[user].redis === undefined || url === null) return { REDIS_URL: undefined };
  url.username = user;
  url.password = passwordOf(user, secret);
  return { REDIS_URL: url.href };
}

function storageLogin(user: EngineUser, { secret }: EngineRecord): Env {
  const isUser = ENGINE_ACCESS[user].storage !== undefined;
  return {
    AWS_ACCESS_KEY_ID: isUser ? user : undefined,
    AWS_SECRET_ACCESS_KEY: isUser ? passwordOf(user, secret) : undefined,
  };
}
