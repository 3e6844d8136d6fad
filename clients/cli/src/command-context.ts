import type { Readable } from 'node:stream';
import type { Output } from './output.ts';

/** What a command gets of its process. */
export interface CommandContext extends Output {
  /** Behind the command's name. */
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly workingDir: string;
  readonly stdin: Readable & { readonly isTTY?: boolean };
}
