/**
 * Encrypts the values that a service stores sealed under a new secret: auth's signing keys and the secrets of
 * second factors under AUTH_SECRET, the accounts' webhook secrets under WEBHOOKS_SECRET. The values stay the
 * same, so tokens, codes and signatures stay valid.
 *
 * It is one transaction, with the tables locked against other writers. After the commit, the old secret opens
 * nothing; after a failure, nothing has changed. A service that has both secrets keeps working; one that has
 * only the old secret fails until it gets the new one.
 */
import { StartError } from '@audiosplit/chassis/process/lifecycle';
import { createSecretBox } from '@audiosplit/chassis/secrets/secret-box';
import { connectOperator } from './database-client.ts';

interface Sealed {
  readonly table: string;
  readonly id: string;
  /** The column whose value is the context of the sealed value. */
  readonly context: string;
  readonly column: string;
  readonly purpose: string;
}

export const RESEALED = {
  auth: [
    {
      table: 'auth.signing_keys',
      id: 'kid',
      context: 'kid',
      column: 'sealed_private_key',
      purpose: 'audiosplit signing keys',
    },
    {
      table: 'auth.second_factors',
      id: 'account_id',
      context: 'account_id',
      column: 'sealed_secret',
      purpose: 'audiosplit second factors',
    },
  ],
  webhooks: [
    {
      table: 'webhooks.signing_secrets',
      id: 'number',
      context: 'account_id',
      column: 'sealed',
      purpose: 'audiosplit webhook signing keys',
    },
  ],
} as const satisfies Record<string, readonly Sealed[]>;

/** Resolves with the number of values. Throws StartError if the present secret does not open one. */
export async function reseal(options: {
  readonly databaseUrl: string;
  readonly service: keyof typeof RESEALED;
  readonly secret: string;
  readonly nextSecret: string;
}): Promise<number> {
  const { databaseUrl, service, secret, nextSecret } = options;
  await using client = await connectOperator(databaseUrl);
  await client.query('begin');
  let count = 0;
  for (const sealed of RESEALED[service])
    count += await resealTable(client, sealed, { service, secret, nextSecret });
  await client.query('commit');
  return count;
}

async function resealTable(
  client: Awaited<ReturnType<typeof connectOperator>>,
  { table, id, context, column, purpose }: Sealed,
  {
    service,
    secret,
    nextSecret,
  }: { readonly service: string; readonly secret: string; readonly nextSecret: string },
): Promise<number> {
  const present = createSecretBox(secret, purpose);
  const next = createSecretBox(nextSecret, purpose);
  await client.query(`lock table ${table} in share row exclusive mode`);
  const { rows } = await client.query<{ id: string; context: string; sealed: Buffer }>(
    `select ${id}::text as id, ${context} as context, ${column} as sealed from ${table}`,
  );
  for (const row of rows) {
    let opened: Buffer;
    try {
      opened = present.open(row.sealed, row.context);
    } catch (cause) {
      const reason = `the present secret of ${service} does not open ${row.id}; nothing is changed`;
      throw new StartError(reason, { cause });
    }
    await client.query(`update ${table} set ${column} = $2 where ${id}::text = $1`, [
      row.id,
      next.seal(opened, row.context),
    ]);
  }
  return rows.length;
}
