import { names, text, type Values, whole } from '../../deploy/provision/options.ts';
import { DRILLS } from './catalog.ts';

export type DrillArguments = ReturnType<typeof drillArguments>;

/** In a shorter outage the oldest event is too young for the alert's condition. */
const OUTAGE_SECONDS = { least: 65, most: 3_600 };

export const DRILLS_COMMAND = {
  command: 'npm run verify -- drills',
  about:
    'Starts the product on real engines, carries out the disaster drills of docs/operations/drills.md, and reports deviations.',
  options: {
    only: names(
      'NAME',
      DRILLS.map(({ name }) => name),
      'only these',
    ),
    'outage-seconds': whole(OUTAGE_SECONDS, 75, 'how long Redis and Kafka stay stopped, 65 to 3600'),
    report: text('FILE', 'writes the protocol to this file, too, as Markdown'),
  },
};

/** `only` is undefined if all are selected. */
export function drillArguments(values: Values<typeof DRILLS_COMMAND.options>) {
  return { only: values.only, outageMs: values['outage-seconds'] * 1_000 };
}
