import { readIdentityKeys } from '@audiosplit/chassis/identity/keys';
import { remoteAddress } from '@audiosplit/chassis/rpc/client';
import type { KubernetesApi } from '../../deploy/kubernetes/access/api.ts';
import { setLimits, untilLimitHolds } from '../harness/accounts/limits.ts';
import type { Account } from '../harness/accounts/open-account.ts';
import type { ForwardPort } from './port-forward.ts';
import { BASE_URL, NAMESPACE, RELEASE } from './release.ts';

const REQUESTS_PER_MINUTE = 100_000;

/** As an operator who may read Secrets and forward ports: policies close the billing service to all others. */
export async function raiseLimits(api: KubernetesApi, forward: ForwardPort, user: Account): Promise<void> {
  const secret = await api.call<{ readonly data: Readonly<Record<string, string>> }>(
    'GET',
    `/api/v1/namespaces/${NAMESPACE}/secrets/${RELEASE}-secrets`,
  );
  const keyIn = (key: string) => Buffer.from(secret.data[key] ?? '', 'base64').toString();
  const keys = readIdentityKeys(
    {
      IDENTITY_PRIVATE_KEY: keyIn('operator-private-key'),
      IDENTITY_PUBLIC_KEYS: keyIn('public-keys'),
    },
    'operator',
  );
  await using billing = await forward(NAMESPACE, `service/${RELEASE}-billing`, 9090);
  await setLimits({ billing: remoteAddress(billing.url), keys }, user.id, {
    requestsPerMinute: REQUESTS_PER_MINUTE,
    concurrentJobs: 200,
    monthlyMinutes: 100_000,
  });
  await untilLimitHolds(BASE_URL, user, REQUESTS_PER_MINUTE);
}
