/** The limits of the scenario's account: Free's ten requests a minute are no load. */
import { systemClock } from '@audiosplit/chassis/clock';
import { createCaller, remoteAddress } from '@audiosplit/chassis/rpc/client';
import { until } from '@audiosplit/chassis/testing/until';
import { BillingService } from '@audiosplit/proto/billing/v1/billing';
import type { ApiUser } from '../../distributed/api-user.fixture.ts';
import type { KubernetesApi } from '../kubernetes/api.ts';
import { NAMESPACE, RELEASE } from './release.ts';

const REQUESTS_PER_MINUTE = 100_000;
/** Every gateway remembers limits for a while. */
const ANSWERS_IN_A_ROW = 10;

/** As an operator within the cluster's network. */
export async function raiseLimits(api: KubernetesApi, user: ApiUser): Promise<void> {
  const core = `/api/v1/namespaces/${NAMESPACE}`;
  const secret = await api.call<{ readonly data: Readonly<Record<string, string>> }>(
    'GET',
    `${core}/secrets/${RELEASE}-secrets`,
  );
  const service = await api.call<{ readonly spec: { readonly clusterIP: string } }>(
    'GET',
    `${core}/services/${RELEASE}-billing`,
  );
  const internalSecret = Buffer.from(secret.data['internal-secret'] ?? '', 'base64').toString();
  await createCaller({ service: 'operator', internalSecret, clock: systemClock })
    .client(BillingService, remoteAddress(`http://${service.spec.clusterIP}:9090`))
    .setAccountOverrides({
      accountId: user.accountId,
      requestsPerMinute: REQUESTS_PER_MINUTE,
      concurrentJobs: 200,
      monthlyMinutes: 100_000,
    });
  let inARow = 0;
  await until(async () => {
    inARow = (await user.requestsPerMinute()) === REQUESTS_PER_MINUTE ? inARow + 1 : 0;
    return inARow === ANSWERS_IN_A_ROW;
  }, 'all gateways know of the limits');
}
