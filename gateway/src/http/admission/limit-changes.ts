/**
 * A plan that has just been bought holds for the next request, and so does a deletion that has just been asked for: before
 * the answer leaves, auth asks billing, and this gateway forgets what it took on trust. The event that tells of the change is
 * then no more than a repeat. Where auth cannot be asked, the event is what remains. Other gateways learn of the change
 * within the time for which they trust anything, less than a second.
 */
import { messageOf } from '@audiosplit/chassis/errors';
import type { Logger } from '@audiosplit/chassis/process/log';
import type { FastifyInstance } from 'fastify';
import type { Credentials } from '../../credentials/credentials.ts';

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
