/**
 * A document with the keys of an installation: `secrets.json`, an env file, or a Secret of Kubernetes as
 * JSON.
 */

import { parseEnv } from 'node:util';
import {
  type IdentityEnvironment,
  keptIdentities,
  privateKeyVariable,
} from '@audiosplit/chassis/identity/identity-environment';
import type { Env } from '@audiosplit/chassis/process/env';
import { StartError } from '@audiosplit/chassis/process/lifecycle';
import { withVariables } from '@audiosplit/chassis/secrets/secrets-file';
import { PROCESSES } from '@audiosplit/proto/callers';

interface SecretOfKubernetes {
  readonly kind: 'Secret';
  /** In Base64. */
  readonly data: Readonly<Record<string, string>>;
}

/** The names in the chart's `identities.existingSecret`. */
const KEYS_OF_SECRET = [
  ...PROCESSES.map((process) => [privateKeyVariable(process), `${process}-private-key`] as const),
  ['IDENTITY_PUBLIC_KEYS', 'public-keys'] as const,
];

/** The document with new keys. Throws StartError if it contains none. */
export function changeKeys(
  text: string,
  change: (present: IdentityEnvironment) => IdentityEnvironment,
): string {
  const changed = (env: Env) => {
    const present = keptIdentities(env);
    if (present === undefined) throw new StartError('it does not hold the keys of all processes');
    return change(present);
  };
  if (!text.trimStart().startsWith('{')) return withVariables(text, changed(parseEnv(text)));
  const document = JSON.parse(text) as SecretOfKubernetes | { readonly kind?: undefined; identities?: Env };
  const next =
    document.kind === 'Secret'
      ? { ...document, data: { ...document.data, ...toData(changed(fromData(document.data))) } }
      : { ...document, identities: changed(document.identities ?? {}) };
  return `${JSON.stringify(next, null, 2)}\n`;
}

function fromData(data: SecretOfKubernetes['data']): Env {
  const decoded = KEYS_OF_SECRET.map(([name, key]) => [
    name,
    Buffer.from(data[key] ?? '', 'base64').toString(),
  ]);
  return Object.fromEntries(decoded);
}

function toData(identities: IdentityEnvironment): SecretOfKubernetes['data'] {
  const encoded = KEYS_OF_SECRET.map(([name, key]) => [
    key,
    Buffer.from(identities[name]).toString('base64'),
  ]);
  return Object.fromEntries(encoded);
}
