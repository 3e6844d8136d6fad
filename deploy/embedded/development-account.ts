/**
 * The account and API key that the embedded run prints for trying it out, with generous limits. They are
 * created through the same calls as any other, and stored in DATA_DIR/development.json.
 */

import { createHash, randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@audiosplit/chassis/clock';
import { actingFor } from '@audiosplit/chassis/identity/authorization';
import { createCaller, type RpcAddress } from '@audiosplit/chassis/rpc/client';
import { AuthService } from '@audiosplit/proto/auth/v1/auth';
import { BillingService } from '@audiosplit/proto/billing/v1/billing';
import { type InstallationSecrets, keysOf } from './installation-secrets.ts';

export interface DevelopmentAccount {
  readonly accountId: string;
  readonly email: string;
  readonly password: string;
  readonly apiKey: string;
}

const LIMITS = {
  requestsPerMinute: 600,
  concurrentJobs: 4,
  maxFileSizeBytes: 2n * 1024n ** 3n,
  monthlyMinutes: 100_000,
};

export async function openDevelopmentAccount(options: {
  readonly dataDir: string;
  readonly addressOf: (service: string) => RpcAddress;
  readonly secrets: Pick<InstallationSecrets, 'identities'>;
  readonly clock: Clock;
}): Promise<DevelopmentAccount> {
  const { addressOf, secrets, clock } = options;
  const path = join(options.dataDir, 'development.json');
  const gateway = createCaller({ keys: keysOf(secrets, 'gateway'), clock });
  const auth = gateway.client(AuthService, addressOf('auth'));

  // A truncated file is ignored.
  const kept = await readFile(path, 'utf8')
    .then((json) => JSON.parse(json) as DevelopmentAccount)
    .catch(() => undefined);
  if (kept !== undefined) {
    const secretSha256 = createHash('sha256').update(kept.apiKey).digest();
    const works = await auth.verifyApiKey({ secretSha256 }).then(Boolean, () => false);
    if (works) return kept;
  }

  const email = `developer-${randomBytes(4).toString('hex')}@audiosplit.example`;
  const password = randomBytes(18).toString('base64url');
  const { session } = await auth.register({ email, password, name: 'Local developer' });
  const accountId = session?.account?.id;
  if (accountId === undefined) throw new Error('auth answered a registration without an account');
  const asAccount = actingFor({
    accountId,
    scopes: ['splits:read', 'splits:write', 'keys:manage'],
  });
  const { secret } = await auth.createApiKey({ name: 'Local development' }, asAccount);
  const billing = createCaller({ keys: keysOf(secrets, 'operator'), clock }).client(
    BillingService,
    addressOf('billing'),
  );
  await billing.setAccountOverrides({ accountId, ...LIMITS });

  const made: DevelopmentAccount = { accountId, email, password, apiKey: secret };
  await writeFile(path, `${JSON.stringify(made, null, 2)}\n`, { mode: 0o600 });
  return made;
}
