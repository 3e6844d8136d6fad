import { randomBytes } from 'node:crypto';
import { makeIdentities } from '@audiosplit/chassis/identity/identity-environment';
import { StartError } from '@audiosplit/chassis/process/lifecycle';
import { createAudiosplit } from '@audiosplit/client';
import { connectOperator } from '../../../deploy/operations/database-client.ts';
import { inSeconds, secondsUntil } from '../../harness/seconds-until.ts';
import type { Drill, DrillContext } from '../drill.ts';
import { awaitEnds, linkOf, statusOf, unnotified } from '../environment/accounting.ts';
import type { LoadJob } from '../environment/light-load.ts';

const NAMES = ['AUTH_SECRET', 'WEBHOOKS_SECRET', 'DOWNLOAD_SECRET'] as const;
const ENDS_TIMEOUT_MS = 60_000;
/** A message is retried for half a minute. */
const SET_ASIDE_WITHIN_MS = 90_000;
const REPLAYED_WITHIN_MS = 90_000;
const NOTIFIED_WITHIN_MS = 30_000;

export const secretsLost: Drill = {
  name: 'secrets',
  title: 'Secrets lost',
  what: 'Everything is stopped and started with other secrets and keys of processes; signing keys of tokens and webhook secrets are made anew.',
  async carryOut(context) {
    const { installation, engines, load, journal, commands } = context;
    const { client, credentials } = load.account;
    load.pause();
    const before = await awaitEnds(load, load.jobs().slice(-20), ENDS_TIMEOUT_MS);
    await secondsUntil(() => unnotified(load, before.completed).length === 0, NOTIFIED_WITHIN_MS);
    const known = before.completed.at(-1);
    const formerLink = await linkOf(load, known?.id);
    const { secret: formerSecret } = await client.getWebhookSecret();
    const lostAtMs = Date.now();
    await installation.stop();
    const others = {
      ...Object.fromEntries(NAMES.map((name) => [name, randomBytes(32).toString('hex')])),
      ...makeIdentities(),
    };
    const refusal = await installation.start(others).then(
      () => undefined,
      (error: unknown) => {
        if (error instanceof StartError) return error.message;
        throw error;
      },
    );
    journal.did('everything is stopped, and started with other secrets');
    const reason = /AUTH_SECRET is not the one [^"\n]*/.exec(refusal ?? '')?.[0];
    journal.expect(
      'auth does not start, and its error gives the reason',
      reason !== undefined,
      reason ?? refusal ?? 'it starts',
    );
    await installation.stop();

    const execute = async (statement: string) => {
      await using database = await connectOperator(engines.endpoints().databaseUrl);
      await database.query(statement);
      journal.did(`\`${statement}\``);
    };
    await execute('delete from auth.signing_keys');
    await installation.start(others);
    load.resume();
    const serves = async () => (await load.call('GET /api/v1/splits')).status === 200;
    await journal.expectWithin(ENDS_TIMEOUT_MS, 'it starts, and API keys hold', serves);
    const servedAfter = (Date.now() - lostAtMs) / 1_000;
    await expectCredentials(context, known, formerLink);

    const job = await load.post(0);
    if (job !== undefined) await awaitEnds(load, [job], ENDS_TIMEOUT_MS);
    const isNotified = () => job === undefined || unnotified(load, [job]).length === 0;
    let waiting = 0;
    await secondsUntil(async () => {
      waiting = await commands.countDeadLetters();
      return waiting > 0 || isNotified();
    }, SET_ASIDE_WITHIN_MS);
    journal.expect(
      'notifications are set aside while no webhook secret can be opened, and none is lost',
      waiting > 0 && !isNotified(),
      `${waiting} dead letters`,
    );
    await execute('delete from webhooks.signing_secrets');
    const replayedAtMs = Date.now();
    const replay = async () => {
      await commands.run('dead-letters', 'replay', '--group', 'webhooks');
      journal.did('`npm run operate -- dead-letters replay --group webhooks`');
    };
    await replay();
    await journal.expectWithin(REPLAYED_WITHIN_MS, 'then they are delivered', async () => {
      // Messages whose retries began with the former secrets can be set aside later.
      if ((await commands.countDeadLetters()) > 0) await replay();
      return isNotified() && (await commands.countDeadLetters()) === 0;
    });
    const fresh = createAudiosplit({
      baseUrl: installation.baseUrl,
      accessToken: (await login(context)).accessToken,
    });
    const { secret } = await fresh.getWebhookSecret();
    journal.expect(
      'every account has a new webhook secret',
      secret !== formerSecret,
      secret === formerSecret ? 'it is the former one' : 'it differs',
    );
    journal.measure('From the stop to the first answer', inSeconds(servedAfter));
    journal.measure(
      'From the replay to the last notification',
      inSeconds((Date.now() - replayedAtMs) / 1_000),
    );
    load.account.signIn((await fresh.login(credentials)).accessToken);
    return {};
  },
};

async function expectCredentials(
  context: DrillContext,
  known: LoadJob | undefined,
  formerLink: string | undefined,
): Promise<void> {
  const { installation, load, journal } = context;
  journal.expectEqual('former links answer 403', await statusOf(formerLink), 403);
  const next = await statusOf(await linkOf(load, known?.id));
  journal.expectEqual('the job, read again, has a link that works', next, 200);
  const authorization = `Bearer ${load.account.accessToken()}`;
  const token = await statusOf(`${installation.baseUrl}/api/v1/account`, { authorization });
  journal.expectEqual('access tokens end', token, 401);
  const { accessToken } = await login(context);
  journal.expect('passwords hold', accessToken !== '', 'a login gives a new token');
  load.account.signIn(accessToken);
}

function login({ installation, load }: DrillContext) {
  return createAudiosplit({ baseUrl: installation.baseUrl }).login(load.account.credentials);
}
