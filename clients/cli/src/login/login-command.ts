/** `audiosplit login`: tries a key at its server, and stores both for later calls. Exit codes: 0, 1 (refused), 2 (called wrongly). */
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { createAudiosplit } from '@audiosplit/client';
import { readServer, type Server } from '../arguments.ts';
import type { CommandContext } from '../command-context.ts';
import { describeFailure } from '../failures.ts';
import { messageOf } from '../message-of.ts';
import { UsageError } from '../usage.ts';
import { storeServer } from './stored-server.ts';

const HELP = `Usage: audiosplit login --server URL [--key KEY]

Tries an API key with splits:read and splits:write at a server, and stores both in a file that only you may read, for
audiosplit split. The key is read from --key, where every process of the machine can see it, from the variable
AUDIOSPLIT_KEY, or from standard input.
`;
const TIMEOUT_MS = 30_000;

/** Resolves to the exit code. */
export async function runLoginCommand(context: CommandContext): Promise<number> {
  const { stdout, stderr, env } = context;
  let server: Server | undefined;
  try {
    server = await readLogin(context);
    if (server === undefined) {
      stdout.write(HELP);
      return 0;
    }
    await createAudiosplit({ ...server, timeoutMs: TIMEOUT_MS }).listSplits({ limit: 1 });
  } catch (error) {
    stderr.write(`${describeFailure(error, { server }) ?? messageOf(error)}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
  stdout.write(`${server.baseUrl} is stored in ${await storeServer(env, server)}\n`);
  return 0;
}

/** Undefined: the help is asked for. Throws UsageError. */
async function readLogin({ args, env, stdin }: CommandContext): Promise<Server | undefined> {
  const { help, server, key } = parse(args);
  if (help === true) return undefined;
  if (server === undefined) throw new UsageError('name the server: audiosplit login --server URL');
  const given = key ?? env.AUDIOSPLIT_KEY;
  if (given !== undefined || stdin.isTTY === true) return readServer(server, given, {});
  return readServer(server, (await text(stdin)).trim(), {});
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: { server: { type: 'string' }, key: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
    }).values;
  } catch (error) {
    throw new UsageError(`${messageOf(error).split(/\.(?:\s|$)|\n/, 1)[0]}; --help shows the options`);
  }
}
