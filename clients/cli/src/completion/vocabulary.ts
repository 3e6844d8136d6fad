/** What can be typed behind `audiosplit`, read off the tables that the commands are made from. */
import { KEY_ACTIONS } from '../account/key-actions.ts';
import { USAGE_ACTIONS } from '../account/usage-actions.ts';
import { type Actions, COMMON_OPTIONS } from '../actions/action.ts';
import { SPLIT_OPTIONS } from '../arguments.ts';
import { CONNECTION_ACTIONS } from '../connections/connection-actions.ts';
import { CUT_COMMAND_OPTIONS } from '../cut/cut-arguments.ts';
import { JOB_ACTIONS } from '../jobs/job-actions.ts';
import { LOGIN_OPTIONS } from '../login/login-command.ts';
import { MCP_OPTIONS } from '../mcp/mcp-command.ts';
import { CUT_ARGUMENTS } from '../options/cut-options.ts';
import { STITCH_OPTIONS } from '../stitch/stitch-arguments.ts';
import { WEBHOOK_ACTIONS } from '../webhooks/webhook-actions.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;

export interface Words {
  /** Behind the command. */
  readonly actions: readonly string[];
  /** With their dashes. */
  readonly options: readonly string[];
}

export const VOCABULARY: Readonly<Record<string, Words>> = {
  cut: wordsOf([], { ...CUT_ARGUMENTS, ...CUT_COMMAND_OPTIONS }),
  split: wordsOf([], { ...CUT_ARGUMENTS, ...SPLIT_OPTIONS }),
  stitch: wordsOf([], STITCH_OPTIONS),
  login: wordsOf([], LOGIN_OPTIONS),
  jobs: ofActions(JOB_ACTIONS),
  keys: ofActions(KEY_ACTIONS),
  connections: ofActions(CONNECTION_ACTIONS),
  usage: ofActions(USAGE_ACTIONS),
  webhooks: ofActions(WEBHOOK_ACTIONS),
  mcp: wordsOf([], MCP_OPTIONS),
  completion: wordsOf(SHELLS, {}),
};

function ofActions(actions: Actions): Words {
  const own = Object.assign({}, ...Object.values(actions).map(({ options }) => options));
  return wordsOf(
    Object.keys(actions).filter((name) => name !== ''),
    { ...own, ...COMMON_OPTIONS },
  );
}

function wordsOf(actions: readonly string[], options: object): Words {
  return { actions, options: Object.keys(options).map((name) => `--${name}`) };
}
