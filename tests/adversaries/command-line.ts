import { flag, names, text, whole } from '../../deploy/provision/options.ts';
import { ADVERSARIES } from './adversaries/catalog.ts';

const NAMES = ADVERSARIES.map(({ name }) => name);

export const COMMAND = {
  command: 'npm run verify -- adversaries',
  about: 'Plays those who make the product work for nothing beside an account that means well.',
  options: {
    only: names('NAME', NAMES, 'only these'),
    distributed: flag('separate processes on real engines, as `npm run up` has them'),
    seconds: whole({ least: 10, most: 3_600 }, 60, 'how long each of them plays (60)'),
    report: text('FILE', 'writes the report to this file, too, as Markdown'),
  },
};
