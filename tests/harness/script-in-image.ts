/**
 * Scripts of the engine's suites, run by the Node of an image, which contains the engine but none of its
 * tests.
 */
import { FLAGS, reportIn, type ScriptOptions } from '../../clients/engine/suites/sandbox/stdin-script.ts';

/** Runs a command in the container with this stdin, and resolves with its stdout. */
export type RunInImage = (command: readonly [string, ...string[]], stdin: string) => Promise<string>;

export const ENGINE_OF_IMAGE: Omit<ScriptOptions, 'folder'> = {
  modules: '/app/clients/engine/dist',
  extension: '.js',
};

export async function reportOfImage<Report>(script: string, run: RunInImage): Promise<Report> {
  return reportIn(await run(['/usr/local/bin/node', ...FLAGS], script));
}
