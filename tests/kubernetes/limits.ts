import { readIdentityKeys } from '@audiosplit/chassis/identity/keys';
import { remoteAddress } from '@audiosplit/chassis/rpc/client';
import { until } from '@audiosplit/chassis/testing/until';
import type { KubernetesApi } from '../../deploy/kubernetes/access/api.ts';
import { setLimits } from '../harness/accounts/limits.ts';
import { type Account, openAccount } from '../harness/accounts/open-account.ts';
import type { ForwardPort } from './port-forward.ts';
import { RELEASE } from './release.ts';

export const REQUESTS_PER_MINUTE = 100_000;
/** More than the uploaded files of 2 GiB. */
const MAX_FILE_SIZE_BYTES = 3n * 1_024n ** 3n;

interface OperatorOptions {
  readonly api: KubernetesApi;
  readonly forward: ForwardPort;
  readonly namespace: string;
  /**
   * The names of the Secrets that hold the processes' keys, and of the one that signed calls before those
   * existed.
   */
  readonly secrets: readonly string[];
}

/** An account with raised limits, which the gateways apply a moment later. */
export async function openRaisedAccount(
  operator: OperatorOptions,
  baseUrl: string,
  requestsPerMinute: number,
): Promise<Account> {
  const isReachable = () =>
    fetch(`${baseUrl}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  // Nodes forward to new pods a moment after these are ready.
  await until(isReachable, `${baseUrl} is reachable`);
  const opened = await openAccount(baseUrl);
  await raiseLimits(operator, opened, requestsPerMinute);
  return opened;
}

/**
 * Acts as an operator who may read Secrets and forward ports: policies block all others from the billing
 * service.
 */
async function raiseLimits(
  operator: OperatorOptions,
  user: Account,
  requestsPerMinute: number,
): Promise<void> {
  const { api, forward, namespace, secrets } = operator;
  const found: Record<string, string> = {};
  for (const name of secrets) {
    const path = `/api/v1/namespaces/${namespace}/secrets/${name}`;
    Object.assign(
      found,
      (await api.call<{ readonly data: Readonly<Record<string, string>> }>('GET', path)).data,
    );
  }
  const textOf = (key: string) => {
    const value = found[key];
    return value === undefined ? undefined : Buffer.from(value, 'base64').toString();
  };
  const keys = readIdentityKeys(
    {
      IDENTITY_PRIVATE_KEY: textOf('operator-private-key'),
      IDENTITY_PUBLIC_KEYS: textOf('public-keys'),
      INTERNAL_SECRET: textOf('internal-secret'),
    },
    'operator',
  );
  await using billing = await forward(namespace, `service/${RELEASE}-billing`, 9090);
  await setLimits({ billing: remoteAddress(billing.url), keys }, user.id, {
    requestsPerMinute,
    concurrentJobs: 200,
    monthlyMinutes: 100_000,
    maxFileSizeBytes: MAX_FILE_SIZE_BYTES,
  });
}
