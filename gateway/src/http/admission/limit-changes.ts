/**
 * Applies a new plan or a requested deletion from the next request on. Before the response is sent, auth
 * reads the limits from billing, and this gateway drops its cache. The event has the same effect, in case
 * auth is unavailable. Other gateways follow when their cache expires, within a second.
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
