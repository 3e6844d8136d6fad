/**
 * The keys of all processes in one environment, as `npm run up` and Compose hand them on: `GATEWAY_IDENTITY_PRIVATE_KEY`
 * and so on. Each process gets its own as IDENTITY_PRIVATE_KEY, and no other; nor does it get secrets of others.
 */
import { formatPublicKeys, type KeyPair } from '@audiosplit/chassis/identity/keys';
import type { Env } from '@audiosplit/chassis/process/env';
import { PROCESSES, type Process } from '@audiosplit/proto/callers';

/** Secrets that one process alone uses. */
const OWN_SECRETS: Readonly<Record<string, Process>> = {
  AUTH_SECRET: 'auth',
  WEBHOOKS_SECRET: 'webhooks',
  DOWNLOAD_SECRET: 'gateway',
};

function variableOf(process: Process): string {
  return `${process.toUpperCase()}_IDENTITY_PRIVATE_KEY`;
}

export function identityEnvironment(identities: Readonly<Record<Process, KeyPair>>): Env {
  const privateKeys = PROCESSES.map((process) => [variableOf(process), identities[process].privateKey]);
  return { ...Object.fromEntries(privateKeys), IDENTITY_PUBLIC_KEYS: formatPublicKeys(identities) };
}

export function environmentOfProcess(env: Env, process: Process): Env {
  const others = Object.entries(env).filter(
    ([name]) =>
      !PROCESSES.some((each) => variableOf(each) === name) && (OWN_SECRETS[name] ?? process) === process,
  );
  return { ...Object.fromEntries(others), IDENTITY_PRIVATE_KEY: env[variableOf(process)] };
}
