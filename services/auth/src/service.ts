/** Auth: sign-in, sessions, signing keys and API keys. Wires the service together. */

import { subscribeToEvents } from '@audiosplit/chassis/event-bus/events';
import { responseSecretOf } from '@audiosplit/chassis/identity/keys';
import { exposeOutbox, exposePool } from '@audiosplit/chassis/observability/database-metrics';
import { startOutboxRelay } from '@audiosplit/chassis/outbox/relay';
import { checkPostgres } from '@audiosplit/chassis/postgres/check-postgres';
import type { RunningService, ServiceContext } from '@audiosplit/chassis/process/service';
import { createCaller } from '@audiosplit/chassis/rpc/client';
import { createHealth } from '@audiosplit/chassis/rpc/health';
import { createSecretBox } from '@audiosplit/chassis/secrets/secret-box';
import { AuthService } from '@audiosplit/proto/auth/v1/auth';
import { AuthOperatorService } from '@audiosplit/proto/auth/v1/operators';
import { BillingService } from '@audiosplit/proto/billing/v1/billing';
import { type Event, EventSchema } from '@audiosplit/proto/events/v1/events';
import { TOPICS } from '@audiosplit/proto/topics';
import { createAccountLimitsProjection } from './accounts/account-limits-projection.ts';
import { createApiKeys } from './api-keys/api-keys.ts';
import type { AuthConfig } from './config.ts';
import { handleAccountEvent } from './events.ts';
import { expose } from './metrics.ts';
import { prune } from './prune.ts';
import { createAuthRoutes } from './rpc.ts';
import { AUTH_SCHEMA } from './schema.ts';
import { createAccessTokenIssuer } from './sign-in/access-token.ts';
import { createEmailChanges } from './sign-in/email-changes.ts';
import { createExternalIdentities } from './sign-in/external-identities.ts';
import { createIdentities } from './sign-in/identities.ts';
import { createMailedLink, createSignInLink } from './sign-in/mailed-links.ts';
import { createPasswordHasher } from './sign-in/password.ts';
import { createPasswords } from './sign-in/passwords.ts';
import { createSecondFactors } from './sign-in/second-factors.ts';
import { createSessions } from './sign-in/sessions.ts';
import { openKeyring, rotateSigningKeys } from './signing-keys/keyring.ts';
import { isBeingDeleted } from './store/account-projections.ts';
import { isUnverified } from './store/accounts.ts';

const HOUR_MS = 3_600_000;

export async function startAuth(config: AuthConfig, context: ServiceContext): Promise<RunningService> {
  const { keys, bus, addressOf, log, clock, fatal } = context;
  await using starting = new AsyncDisposableStack();
  const pool = starting.adopt(context.openPool(AUTH_SCHEMA, config.maxDatabaseConnections), (pool) =>
    pool.end(),
  );
  starting.use(exposePool(pool, AUTH_SCHEMA));
  starting.use(exposeOutbox(pool, AUTH_SCHEMA));
  const relay = starting.use(startOutboxRelay({ pool, bus, log }));
  const wakeRelay = () => relay.wake();

  const box = createSecretBox(config.secret, 'audiosplit signing keys');
  const keyring = await openKeyring({ pool, box, clock });
  const caller = createCaller({ keys, clock });
  const passwords = await createPasswordHasher(config.passwordHashing);
  starting.use(
    expose('audiosplit_auth_password_hashes', () => [{ labels: {}, value: passwords.inFlight() }]),
  );
  const signIn = {
    pool,
    wakeRelay,
    passwords,
    bounds: config.signInBounds,
    clock,
  };
  const secondFactors = createSecondFactors({
    ...signIn,
    box: createSecretBox(config.secret, 'audiosplit second factors'),
  });
  const identities = createIdentities({
    ...signIn,
    secondFactors,
    issueAccessToken: createAccessTokenIssuer({
      keyring,
      issuer: config.issuer,
      audience: config.audience,
      clock,
    }),
  });

  const handleEvent = (event: Event) => handleAccountEvent(pool, event, clock());
  starting.use(
    await subscribeToEvents({
      bus,
      group: 'auth',
      topics: [TOPICS.accounts],
      schema: EventSchema,
      handler: handleEvent,
      onCrash: fatal,
    }),
  );
  starting.use(
    await context.schedule({
      onCrash: context.fatal,
      pool,
      schema: AUTH_SCHEMA,
      log,
      repeating: [
        {
          name: 'rotate-signing-keys',
          everyMs: HOUR_MS,
          run: () => rotateSigningKeys(pool, box, clock()),
        },
        { name: 'prune', everyMs: HOUR_MS, run: () => prune(pool, clock()) },
      ],
    }),
  );

  const running = starting.move();
  return {
    routes: createAuthRoutes({
      once: { pool, secret: responseSecretOf(keys), clock },
      identities,
      externalIdentities: createExternalIdentities({ pool, wakeRelay, clock }),
      keyring,
      apiKeys: createApiKeys({ pool, wakeRelay, clock }),
      accountLimits: createAccountLimitsProjection(pool, caller.client(BillingService, addressOf('billing'))),
      isBeingDeleted: (accountId) => isBeingDeleted(pool, accountId),
      mustVerifyEmail: async (accountId) =>
        config.requireVerifiedEmail && (await isUnverified(pool, accountId)),
      passwords: createPasswords(signIn),
      emailChanges: createEmailChanges(signIn),
      secondFactors,
      sessions: createSessions(pool, clock),
      createSignInLink: (accountId) => createSignInLink(pool, accountId, clock()),
      createMailedLink: (about) => createMailedLink(pool, about, clock()),
      handleEvent,
    }),
    health: createHealth([AuthService, AuthOperatorService], {
      postgres: () => checkPostgres(pool),
    }),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
