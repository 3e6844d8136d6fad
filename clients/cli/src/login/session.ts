/** The access token of the session that `audiosplit login --email` has stored, renewed where it is about to end. */
import { createAudiosplit, type Session } from '@audiosplit/client';
import { UsageError } from '../usage.ts';
import { readStoredLogin, type StoredSession, storeLogin } from './stored-login.ts';

const MIN_LIFE_MS = 30_000;

export function accessTokenOf(baseUrl: string, env: NodeJS.ProcessEnv): () => Promise<string> {
  return async () => {
    const session = await readSession(baseUrl, env);
    if (session === undefined)
      throw new UsageError(`this needs the account: audiosplit login --server ${baseUrl} --email ADDRESS`);
    if (session.expiresAtMs - Date.now() > MIN_LIFE_MS) return session.accessToken;
    try {
      const { refreshToken } = session;
      const renewed = storedSession(await createAudiosplit({ baseUrl }).refreshSession({ refreshToken }));
      await storeLogin(env, { baseUrl, session: renewed });
      return renewed.accessToken;
    } catch (error) {
      // A refresh token works once: another call beside this one may have used it.
      const other = await readSession(baseUrl, env);
      if (other === undefined || other.refreshToken === session.refreshToken) throw error;
      return other.accessToken;
    }
  };
}

export async function hasSession(baseUrl: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  return (await readSession(baseUrl, env)) !== undefined;
}

async function readSession(baseUrl: string, env: NodeJS.ProcessEnv): Promise<StoredSession | undefined> {
  const login = await readStoredLogin(env);
  return login?.baseUrl === baseUrl ? login.session : undefined;
}

export function storedSession({ accessToken, refreshToken, expiresIn }: Session): StoredSession {
  return { accessToken, refreshToken, expiresAtMs: Date.now() + expiresIn * 1_000 };
}
