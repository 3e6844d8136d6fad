/**
 * A plan that has just been bought holds for the next request: before the answer leaves, auth is made to ask billing, and
 * this gateway forgets what it took on trust. The event that tells of the change is then no more than a repeat; where
 * auth cannot be asked it is what remains, and the other gateways learn of it within the time they trust anything.
 */
import { messageOf } from '@audiosplit/chassis/errors';
import type { Logger } from '@audiosplit/chassis/log';
import type { FastifyInstance } from 'fastify';
import type { Credentials } from '../credentials/credentials.ts';

export function addLimitChanges(
  api: FastifyInstance,
  credentials: Pick<Credentials, 'refreshLimits'>,
  log: Logger,
): void {
  api.addHook('onSend', ({ routeOptions, principal }, { statusCode }, payload, done) => {
    if (routeOptions.config.changesLimits !== true || principal === undefined || statusCode >= 300) {
      return done(null, payload);
    }
    const { accountId } = principal;
    credentials
      .refreshLimits(accountId)
      .catch((error: unknown) => {
        log.warn({ accountId }, `changed limits show late: ${messageOf(error)}`);
      })
      .then(() => done(null, payload), done);
  });
}
