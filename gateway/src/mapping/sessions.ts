import type { Session as ProtoSession } from '@audiosplit/proto/auth/v1/auth';
import type { Session } from '../schemas/sessions.ts';
import { present, toIsoTime } from './messages.ts';

export function fromProtoSession(answer: { readonly session?: ProtoSession | undefined }): Session {
  const session = present(answer.session, 'a session');
  const { id, email, name, createdAt } = present(session.account, 'an account');
  return {
    account: { id, email, name, createdAt: toIsoTime(createdAt) },
    accessToken: session.accessToken,
    refreshToken: session.refreshToken,
    tokenType: 'Bearer',
    expiresIn: session.expiresInSeconds,
  };
}
