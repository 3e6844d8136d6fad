/** The sessions of an account: the places where it is signed in. An access token ends with its session. */
import type { Clock } from '@audiosplit/chassis/clock';
import { NotFoundError, ServiceError } from '@audiosplit/chassis/errors';
import { isId } from '@audiosplit/chassis/ids';
import { type Pool, withTransaction } from '@audiosplit/chassis/postgres/pool';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import {
  deleteSessionOf,
  deleteSessionsOf,
  isSessionLive,
  type ListedSession,
  listSessions,
  type SessionUse,
  wereSessionsEnded,
} from '../store/sessions.ts';

export interface Sessions {
  list(accountId: string): Promise<readonly ListedSession[]>;
  /** Throws NOT_FOUND. */
  end(accountId: string, sessionId: string): Promise<void>;
  endOthers(accountId: string, sessionId: string): Promise<void>;
  /**
   * Throws UNAUTHORIZED once the session of an access token has ended. Empty: a token of a previous release,
   * which names no session. It ends when all sessions of its account are ended together.
   */
  check(accountId: string, sessionId: string): Promise<void>;
}

export const SESSION_ID_PREFIX = 'ses';

export function createSessions(pool: Pool, clock: Clock): Sessions {
  return {
    list: (accountId) => listSessions(pool, accountId, clock()),

    async end(accountId, sessionId) {
      const isFound =
        isId(SESSION_ID_PREFIX, sessionId) && (await deleteSessionOf(pool, accountId, sessionId));
      if (!isFound) throw new NotFoundError('The session');
    },

    endOthers: (accountId, sessionId) =>
      withTransaction(pool, (client) => deleteSessionsOf(client, accountId, sessionId, clock())),

    async check(accountId, sessionId) {
      const isLive =
        sessionId === ''
          ? !(await wereSessionsEnded(pool, accountId))
          : await isSessionLive(pool, accountId, sessionId, clock());
      if (!isLive) throw new ServiceError(Reason.UNAUTHORIZED, 'The session has ended; sign in again.');
    },
  };
}

const MAX_USER_AGENT_LENGTH = 256;

/** The information by which a person recognises a session. */
export function sessionUseOf({
  clientIp,
  userAgent,
}: {
  readonly clientIp: string;
  readonly userAgent: string;
}): SessionUse {
  return {
    clientAddress: clientIp === '' ? null : clientIp.replace(/^::ffff:(?=\d+\.)/i, ''),
    userAgent:
      userAgent === '' ? null : userAgent.slice(0, MAX_USER_AGENT_LENGTH).replaceAll(/\p{Cc}/gu, ' '),
  };
}
