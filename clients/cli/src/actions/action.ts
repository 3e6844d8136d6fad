/** An action such as `audiosplit jobs list`, as a row of a table: arguments, help and completion are made from it. */
import type { Audiosplit } from '@audiosplit/client';
import type { Server } from '../arguments.ts';
import type { CommandContext } from '../command-context.ts';

export interface ActionOption {
  /** What stands behind it, in the help. A flag has none. */
  readonly value?: string;
  readonly help: string;
}

export interface Action {
  /** Names of what stands behind the action, all of them needed. */
  readonly operands: readonly string[];
  readonly help: string;
  readonly options?: Readonly<Record<string, ActionOption>>;
  /** Where there is no session, an API key does, if it has the scope. */
  readonly takesKey?: boolean;
  run(call: ActionCall): Promise<void>;
}

export interface ActionCall {
  readonly operands: readonly string[];
  /** Of an option that was given; true where it is a flag. */
  readonly option: (name: string) => string | true | undefined;
  readonly client: Audiosplit;
  readonly server: Server;
  readonly context: CommandContext;
  readonly signal: AbortSignal;
  /** A line of JSON for each row with --json, and `text` without. */
  readonly print: (rows: readonly object[], text: () => string) => void;
}

/** By name. The action of a command that has but one is called ''. */
export type Actions = Readonly<Record<string, Action>>;

export const COMMON_OPTIONS: Readonly<Record<string, ActionOption>> = {
  json: { help: 'a line of JSON for each row' },
  server: { value: 'URL', help: 'another server than that of audiosplit login' },
  key: { value: 'KEY', help: 'its API key, unless AUDIOSPLIT_KEY holds it' },
  help: { help: 'this text' },
};
