/** Redis' ACL users, generated from access.ts. */
import { ENGINE_ACCESS, ENGINE_USERS, type EngineUser, passwordOf } from './access.ts';

/** The administrator's name; the password is the engine's secret. */
export const REDIS_USER = 'audiosplit';

/** An ACL file that requires a login. */
export function aclFile(
  secret: string,
  password = (user: EngineUser): string => passwordOf(user, secret),
): string {
  const users = ENGINE_USERS.flatMap((user) => {
    const { redis } = ENGINE_ACCESS[user];
    if (redis === undefined) return [];
    const keys = redis.keys.map((key) => `~${key}`);
    const commands = redis.commands.map((command) => `+${command}`);
    return [`user ${user} on >${password(user)} ${keys.join(' ')} resetchannels -@all ${commands.join(' ')}`];
  });
  return ['user default off', `user ${REDIS_USER} on >${secret} ~* &* +@all`, ...users, ''].join('\n');
}
