/** `audiosplit mcp`: the tools for agents on standard input and output, which nothing else may write to. */
import { once } from 'node:events';
import { createAudiosplit } from '@audiosplit/client';
import { createMcpServer } from '@audiosplit/mcp';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { readServer, type Server } from '../arguments.ts';
import type { CommandContext } from '../command-context.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { interruptedExitCode, interruption } from '../interruption.ts';
import { messageOf } from '../message-of.ts';
import { parseStrictly } from '../parse-strictly.ts';
import { createLocalEngine } from './local-engine.ts';

export const MCP_OPTIONS = {
  server: { type: 'string' },
  key: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

const HELP = `Usage: audiosplit mcp [--server URL] [--key KEY]

Serves the tools for agents by MCP on standard input and output, for the configuration of an agent: plan_split,
split_audio, get_job, list_jobs, cancel_job. Files of this machine are cut here, without a server. URLs are split over the
server of --server, with its key in --key or AUDIOSPLIT_KEY, or over the one that audiosplit login has stored.

Leaves with 0 when standard input ends, 2 when called wrongly, 130 after Ctrl-C.
`;

interface McpCommandContext extends CommandContext {
  readonly version: string;
  /** Where --server names none. */
  readonly defaultServer: Server | undefined;
}

/** Resolves to the exit code. */
export async function runMcpCommand(context: McpCommandContext): Promise<number> {
  const { args, env, workingDir, version, stdin, stdout, stderr, defaultServer } = context;
  let server: Server | undefined;
  try {
    const { values } = parseStrictly({ args: [...args], options: MCP_OPTIONS });
    if (values.help === true) {
      stdout.write(HELP);
      return EXIT_CODES.ok;
    }
    server = readServer(values.server, values.key, env) ?? defaultServer;
  } catch (error) {
    stderr.write(`${messageOf(error)}\n`);
    return EXIT_CODES.misused;
  }
  const audiosplit = server === undefined ? undefined : createAudiosplit(server);
  const local = createLocalEngine({ workingDir, ffmpegPath: env.FFMPEG_PATH });
  const serving = serveStdio(() => createMcpServer({ version, audiosplit, local }));
  await once(stdin, 'end', { signal: interruption.signal }).catch(() => undefined);
  await serving.close();
  return interruptedExitCode() ?? EXIT_CODES.ok;
}
