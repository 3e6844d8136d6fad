import type { GetSecurityResponse, ListSessionsResponse } from '@audiosplit/proto/auth/v1/auth';
import type { Principal } from '../credentials/principal.ts';
import type { Security, SignedInSession } from '../schemas/security.ts';
import { toIsoTime } from './messages.ts';

export function fromProtoSecurity({
  email,
  emailVerified,
  pendingEmail,
  mustVerifyEmail,
  secondFactor,
}: GetSecurityResponse): Security {
  return {
    email,
    emailVerified,
    ...(pendingEmail === undefined ? {} : { pendingEmail }),
    ...(secondFactor === undefined
      ? {}
      : {
          secondFactor: {
            enabledAt: toIsoTime(secondFactor.enabledAt),
            recoveryCodesLeft: secondFactor.recoveryCodesLeft,
          },
        }),
    mustVerifyEmail,
  };
}

export function fromProtoSessions(
  { sessions }: ListSessionsResponse,
  principal: Principal,
): { readonly data: SignedInSession[] } {
  return {
    data: sessions.map(({ id, createdAt, lastUsedAt, address, userAgent }) => ({
      id,
      createdAt: toIsoTime(createdAt),
      lastUsedAt: toIsoTime(lastUsedAt),
      address: address === '' ? null : address,
      userAgent: userAgent === '' ? null : userAgent,
      current: id === sessionIdOf(principal),
    })),
  };
}

/** Empty if the token names no session. */
export function sessionIdOf(principal: Principal): string {
  return principal.kind === 'account' ? principal.sessionId : '';
}
