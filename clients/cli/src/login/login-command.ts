/** `audiosplit login`: tries a key or a password at its server, and stores what later calls need. */
import { text } from 'node:stream/consumers';
import { createAudiosplit } from '@audiosplit/client';
import { readBaseUrl, readServer } from '../arguments.ts';
import type { CommandContext } from '../command-context.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { describeFailure } from '../failures.ts';
import { messageOf } from '../message-of.ts';
import { parseStrictly } from '../parse-strictly.ts';
import { UsageError } from '../usage.ts';
import { storedSession } from './session.ts';
import { type StoredLogin, storeLogin } from './stored-login.ts';

const HELP = `Usage: audiosplit login --server URL [--key KEY]
       audiosplit login --server URL --email ADDRESS [--code CODE]

Tries an API key with splits:read and splits:write at a server, and stores both in a file that only you may read, for
audiosplit split and jobs. The key is read from --key, where every process of the machine can see it, from the variable
AUDIOSPLIT_KEY, or from standard input.

With --email it signs in to the account and stores the session instead, for audiosplit keys, usage and webhooks. The
password is read from the variable AUDIOSPLIT_PASSWORD or from standard input; --code is that of a second factor.

Leaves with 0, 1 when the server refused, 2 when called wrongly.
`;
export const LOGIN_OPTIONS = {
  server: { type: 'string' },
  key: { type: 'string' },
  email: { type: 'string' },
  code: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;
const TIMEOUT_MS = 30_000;

/** Resolves to the exit code. */
export async function runLoginCommand(context: CommandContext): Promise<number> {
  const { stdout, stderr, env } = context;
  try {
    const values = parse(context.args);
    if (values.help === true) {
      stdout.write(HELP);
      return EXIT_CODES.ok;
    }
    const login = await (values.email === undefined ? tryKey(values, context) : signIn(values, context));
    stdout.write(`${login.baseUrl} is stored in ${await storeLogin(env, login)}\n`);
    return EXIT_CODES.ok;
  } catch (error) {
    stderr.write(`${describeFailure(error, { server: undefined }) ?? messageOf(error)}\n`);
    return error instanceof UsageError ? EXIT_CODES.misused : EXIT_CODES.failed;
  }
}

type Values = ReturnType<typeof parse>;

async function tryKey({ server, key }: Values, { env, stdin }: CommandContext): Promise<StoredLogin> {
  const given = key ?? env.AUDIOSPLIT_KEY;
  const read = given === undefined && stdin.isTTY !== true ? (await text(stdin)).trim() : given;
  const login = readServer(requireServer(server), read, {});
  await createAudiosplit({ ...login, timeoutMs: TIMEOUT_MS }).listSplits({ limit: 1 });
  return login;
}

async function signIn(
  { server, email = '', code }: Values,
  { env, stdin }: CommandContext,
): Promise<StoredLogin> {
  if (env.AUDIOSPLIT_PASSWORD === undefined && stdin.isTTY === true)
    throw new UsageError('set AUDIOSPLIT_PASSWORD to the password, or pipe it in');
  const password = env.AUDIOSPLIT_PASSWORD ?? (await text(stdin)).replace(/\r?\n$/, '');
  const baseUrl = readBaseUrl(requireServer(server));
  const client = createAudiosplit({ baseUrl, timeoutMs: TIMEOUT_MS });
  const session = await client.login({ email, password, ...(code === undefined ? {} : { code }) });
  return { baseUrl, session: storedSession(session) };
}

function requireServer(server: string | undefined): string {
  if (server === undefined) throw new UsageError('name the server: audiosplit login --server URL');
  return server;
}

function parse(args: readonly string[]) {
  return parseStrictly({ args: [...args], options: LOGIN_OPTIONS }).values;
}
