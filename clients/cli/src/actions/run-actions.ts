import { createAudiosplit } from '@audiosplit/client';
import { readServer, type Server } from '../arguments.ts';
import type { CommandContext } from '../command-context.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { describeFailure, describeRetry } from '../failures.ts';
import { interruptedExitCode, interruption } from '../interruption.ts';
import { accessTokenOf, hasSession } from '../login/session.ts';
import { readStoredLogin } from '../login/stored-login.ts';
import { messageOf } from '../message-of.ts';
import { parseStrictly } from '../parse-strictly.ts';
import { UsageError } from '../usage.ts';
import { type Action, type ActionCall, type Actions, COMMON_OPTIONS } from './action.ts';
import { actionsHelp } from './actions-help.ts';

const TIMEOUT_MS = 30_000;

/** Resolves to the exit code. */
export async function runActions(name: string, actions: Actions, context: CommandContext): Promise<number> {
  const { stdout, stderr } = context;
  let server: Server | undefined;
  try {
    const { action, rest } = chooseAction(name, actions, context.args);
    if (action === undefined) {
      stdout.write(actionsHelp(name, actions));
      return EXIT_CODES.ok;
    }
    const { values, positionals } = parse(action, rest);
    if (positionals.length !== action.operands.length)
      throw new UsageError(`give ${action.operands.join(' ') || 'no operand'}; --help shows how`);
    server = await chooseServer(values, context.env);
    const byKey =
      action.takesKey === true && server.apiKey !== '' && !(await hasSession(server.baseUrl, context.env));
    await action.run(callOf({ values, positionals, server, byKey, context }));
    return EXIT_CODES.ok;
  } catch (error) {
    const exitCode = interruptedExitCode();
    if (exitCode !== undefined) return exitCode;
    stderr.write(`${describeFailure(error, { server }) ?? messageOf(error)}\n`);
    return error instanceof UsageError ? EXIT_CODES.misused : EXIT_CODES.failed;
  }
}

/** No action: the help is asked for. */
function chooseAction(
  name: string,
  actions: Actions,
  args: readonly string[],
): { readonly action: Action | undefined; readonly rest: readonly string[] } {
  const isHelp = args.includes('--help') || args.includes('-h');
  const only = actions[''];
  if (isHelp || (args.length === 0 && only === undefined)) return { action: undefined, rest: [] };
  if (only !== undefined) return { action: only, rest: args };
  const [first = '', ...rest] = args;
  const action = Object.hasOwn(actions, first) ? actions[first] : undefined;
  if (action !== undefined) return { action, rest };
  throw new UsageError(
    `audiosplit ${name} has no action ${first}: there are ${Object.keys(actions).join(', ')}`,
  );
}

type Values = Readonly<Record<string, string | boolean | undefined>>;

function parse(action: Action, args: readonly string[]) {
  const options = Object.fromEntries(
    Object.entries({ ...action.options, ...COMMON_OPTIONS }).map(([option, { value }]) => [
      option,
      { type: value === undefined ? ('boolean' as const) : ('string' as const) },
    ]),
  );
  const { values, positionals } = parseStrictly({ args: [...args], options, allowPositionals: true });
  return { values: values as Values, positionals };
}

async function chooseServer({ server, key }: Values, env: NodeJS.ProcessEnv): Promise<Server> {
  if (server !== undefined)
    return readServer(String(server), key === undefined ? undefined : String(key), env);
  const stored = await readStoredLogin(env);
  if (stored === undefined)
    throw new UsageError('name the server by --server, or store it once by audiosplit login');
  return { baseUrl: stored.baseUrl, apiKey: key === undefined ? (stored.apiKey ?? '') : String(key) };
}

function callOf({
  values,
  positionals,
  server,
  byKey,
  context,
}: {
  readonly values: Values;
  readonly positionals: readonly string[];
  readonly server: Server;
  readonly byKey: boolean;
  readonly context: CommandContext;
}): ActionCall {
  const { stdout, stderr, env } = context;
  return {
    operands: positionals,
    option: (name) => {
      const value = values[name];
      return value === false ? undefined : value;
    },
    client: createAudiosplit({
      baseUrl: server.baseUrl,
      ...(server.apiKey === '' ? {} : { apiKey: server.apiKey }),
      ...(byKey ? {} : { accessToken: accessTokenOf(server.baseUrl, env) }),
      timeoutMs: TIMEOUT_MS,
      onRetry: (retry) => stderr.write(`${describeRetry(retry)}\n`),
    }),
    server,
    context,
    signal: interruption.signal,
    print: (rows, text) => {
      if (values.json !== true) stdout.write(`${text()}\n`);
      else for (const row of rows) stdout.write(`${JSON.stringify(row)}\n`);
    },
  };
}
