/** The options of `npm run cluster -- up` and `npm run cluster -- down`. */
import { resolve } from 'node:path';
import { type OptionsSpec, parseOptions, text } from '../provision/options.ts';
import { DEFAULT_DATA_DIR } from './layout.ts';

const options = { dir: text('FOLDER', 'the state folder (.data/cluster)') };

export const UP = {
  command: 'npm run cluster -- up',
  about: "Starts a Kubernetes on this machine, with the product's images in it.",
  options,
};
export const DOWN = {
  command: 'npm run cluster -- down',
  about: 'Stops what npm run cluster -- up has started, and deletes its data.',
  options,
};

/** Throws StartError. */
export function parseClusterArguments(spec: OptionsSpec<typeof options>, args: readonly string[]) {
  const { help, dir } = parseOptions(spec, args);
  return { help, dir: resolve(dir ?? DEFAULT_DATA_DIR) };
}
