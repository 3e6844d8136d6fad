/**
 * The keys of all processes of one installation, as environment variables: `GATEWAY_IDENTITY_PRIVATE_KEY` and
 * so on, and IDENTITY_PUBLIC_KEYS. Each process receives its own key as IDENTITY_PRIVATE_KEY, and no key or
 * secret of another process.
 */
import { PROCESSES, type Process } from '@audiosplit/proto/callers';
import type { Env } from '../process/env.ts';
import { isSet } from '../process/settings.ts';
import { formatPublicKeys, type KeyPair, makeKeyPair } from './keys.ts';

/** Secrets used by one process only. */
const OWN_SECRETS: Readonly<Record<string, Process>> = {
  AUTH_SECRET: 'auth',
  WEBHOOKS_SECRET: 'webhooks',
  DOWNLOAD_SECRET: 'gateway',
  STRIPE_SECRET_KEY: 'billing',
  STRIPE_WEBHOOK_SECRET: 'billing',
  SMTP_URL: 'account',
  OPERATORS_CREDENTIALS: 'operator',
};

type PrivateKeyVariable = `${Uppercase<Process>}_IDENTITY_PRIVATE_KEY`;
export type IdentityEnvironment = Readonly<Record<PrivateKeyVariable | 'IDENTITY_PUBLIC_KEYS', string>>;

export function privateKeyVariable(process: Process): PrivateKeyVariable {
  return `${process.toUpperCase() as Uppercase<Process>}_IDENTITY_PRIVATE_KEY`;
}

export function identityEnvironment(pairs: Readonly<Record<Process, KeyPair>>): IdentityEnvironment {
  const privateKeys = PROCESSES.map((process) => [privateKeyVariable(process), pairs[process].privateKey]);
  return { ...Object.fromEntries(privateKeys), IDENTITY_PUBLIC_KEYS: formatPublicKeys(pairs) };
}

/** New keys for all processes. */
export function makeIdentities(): IdentityEnvironment {
  const pairs = PROCESSES.map((process) => [process, makeKeyPair()] as const);
  return identityEnvironment(Object.fromEntries(pairs) as Record<Process, KeyPair>);
}

/** Undefined if one is missing, as in secrets that a former release stored. */
export function keptIdentities(env: Env): IdentityEnvironment | undefined {
  const names = [...PROCESSES.map(privateKeyVariable), 'IDENTITY_PUBLIC_KEYS'];
  if (!names.every((name) => isSet(env, name))) return undefined;
  return Object.fromEntries(names.map((name) => [name, env[name]])) as IdentityEnvironment;
}

export function environmentOfProcess(env: Env, process: Process): Env {
  const others = Object.entries(env).filter(
    ([name]) =>
      !PROCESSES.some((each) => privateKeyVariable(each) === name) &&
      (OWN_SECRETS[name] ?? process) === process,
  );
  return { ...Object.fromEntries(others), IDENTITY_PRIVATE_KEY: env[privateKeyVariable(process)] };
}
