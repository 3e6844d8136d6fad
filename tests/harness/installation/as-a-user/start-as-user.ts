/**
 * Kind `as-a-user`: the product as its users run it, seen from outside: `npm start` in a clone, or the
 * separate processes of `npm run up`. The suite's environment selects one, so both run the same scenarios.
 */
import type { Env } from '@audiosplit/chassis/process/env';
import type { Exit } from './command.ts';
import { npmStart } from './npm-start.ts';
import { npmUp } from './npm-up.ts';
import type { StartedProduct, UserOptions } from './product.ts';
import { runFailingStart } from './start-product.ts';

/** Set to the folder of `npm run up`. */
export const UP_FOLDER_VARIABLE = 'ACCEPTANCE_INSTALLATION';

const upFolder = process.env[UP_FOLDER_VARIABLE];
export const isDistributed = upFolder !== undefined;
export const userStart = upFolder === undefined ? npmStart : npmUp(upFolder);

export function startAsUser(options: UserOptions): Promise<StartedProduct> {
  return userStart.start(options);
}

/** Runs a start that is expected to fail by itself. */
export function runProduct(env: Env): Promise<Exit> {
  return runFailingStart(userStart.launcher, env);
}
