/** Checks the Secrets that a rendered chart requires against those that an example creates. */
import { type Manifest, workloadsIn } from './chart-manifests.ts';
import type { PodSpec } from './pod-spec.ts';

export interface ExternalSecret {
  readonly spec?: {
    readonly target?: {
      readonly name?: string;
      readonly template?: { readonly data?: Readonly<Record<string, string>> };
    };
    readonly data?: readonly { readonly secretKey: string }[];
  };
}

/** The key of a Secret that the kubelet reads to pull images. */
const PULL_KEY = '.dockerconfigjson';

/** One line per fault; empty if exactly the required Secrets are created. */
export function checkSecrets(
  manifests: readonly Manifest[],
  examples: readonly ExternalSecret[],
): readonly string[] {
  const asked = new Set(workloadsIn(manifests).flatMap(({ pod }) => askedFor(pod)));
  const made = new Set(examples.flatMap(madeBy));
  return [
    ...[...asked].filter((key) => !made.has(key)).map((key) => `${key} is asked for and not made`),
    ...[...made].filter((key) => !asked.has(key)).map((key) => `${key} is made and nobody asks for it`),
  ].sort();
}

/** The required Secrets, as `secret/key`. */
function askedFor({ containers = [], imagePullSecrets = [] }: PodSpec): readonly string[] {
  const secrets = containers.flatMap(({ env = [] }) => env.flatMap(({ secret }) => secret ?? []));
  return [
    ...secrets.map(({ name, key }) => `${name}/${key}`),
    ...imagePullSecrets.map(({ name }) => `${name}/${PULL_KEY}`),
  ];
}

function madeBy({ spec = {} }: ExternalSecret): readonly string[] {
  const { target, data = [] } = spec;
  const keys = Object.keys(target?.template?.data ?? {});
  return (keys.length > 0 ? keys : data.map(({ secretKey }) => secretKey)).map(
    (key) => `${target?.name}/${key}`,
  );
}
