/** The limits of the scenario's account: Free's ten requests a minute are no load. */
import { systemClock } from '@audiosplit/chassis/clock';
import { createCaller, remoteAddress } from '@audiosplit/chassis/rpc/client';
import { BillingService } from '@audiosplit/proto/billing/v1/billing';
import { type ApiUser, untilGatewaysKnow } from '../../distributed/api-user.fixture.ts';
import type { KubernetesApi } from '../kubernetes/api.ts';
import { NAMESPACE, RELEASE } from './release.ts';

const REQUESTS_PER_MINUTE = 100_000;

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
  await untilGatewaysKnow(user, REQUESTS_PER_MINUTE);
}
