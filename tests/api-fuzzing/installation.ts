/** The product with its embedded defaults, and accounts without effective request limits. */
import { createLogger } from '@audiosplit/chassis/process/log';
import { UNLIMITED } from '../harness/accounts/limits.ts';
import type { EmbeddedInstallation } from '../harness/installation/embedded.ts';
import { startInstallation } from '../harness/installation/start-installation.ts';

export type FuzzedAccount = Awaited<ReturnType<typeof openFuzzedAccount>>;

/** Keys to be revoked and replaced. */
const SPARE_KEYS = 20;

export function startFuzzedInstallation(): Promise<EmbeddedInstallation> {
  return startInstallation({
    kind: 'embedded',
    postgres: 'own',
    log: createLogger('local', 'error'),
    env: {
      EGRESS_ALLOW_CIDRS: undefined,
      METRICS_PORT: undefined,
      // Lets a run change its address, because an unknown caller has 60 requests a minute for each address.
      TRUST_PROXY: '127.0.0.1',
    },
  });
}

/** An account with a key of all scopes and limits that no run reaches. */
export async function openFuzzedAccount({ openAccount }: EmbeddedInstallation, name: string) {
  const { client, accessToken, createdKey } = await openAccount({
    email: `${name}@example.com`,
    limits: { ...UNLIMITED, concurrentJobs: 1 },
    scopes: ['splits:read', 'splits:write', 'keys:manage', 'connections:manage'],
  });
  for (let spare = 0; spare < SPARE_KEYS; spare++) await client.createApiKey({ name });
  return { accessToken: accessToken(), apiKey: createdKey.key, apiKeyId: createdKey.id };
}
