/** What options contradict together, in their own names. The API has the same rules for its fields, and the last say. */
import { UsageError } from '../usage.ts';

/** By the option's name, as it was read. */
type Values = Readonly<Record<string, unknown>>;

/** Throws UsageError. */
export function checkCutRules(values: Values): void {
  for (const rule of RULES) {
    const mistake = rule(values);
    if (mistake !== undefined) throw new UsageError(mistake);
  }
}

/** Undefined where nothing is wrong. */
type Rule = (values: Values) => string | undefined;

const PIECES_OF_THE_SOURCE = ['silence', 'chapters', 'chapters-from', 'ranges', 'split-at'];

const CAPS = ['max-duration', 'max-size', 'for'];

/** Without a division there are no cuts to move. */
const checkSnap: Rule = (values) => {
  const mode = PIECES_OF_THE_SOURCE.find((name) => values[name] !== undefined);
  const isCapped = CAPS.some((name) => values[name] !== undefined);
  if (values.snap === undefined || mode === undefined || isCapped) return undefined;
  return `--snap goes with --${mode} only together with --max-duration, --max-size or --for: add one`;
};

const checkMinSilence: Rule = (values) => {
  if (values.silence !== undefined || !isAbove(values['min-silence'], values.snap)) return undefined;
  return '--min-silence must not be above --snap';
};

const checkLeastLength: Rule = (values) =>
  isAbove(values['min-duration'], values['max-duration'])
    ? '--max-duration must not be below --min-duration'
    : undefined;

const checkOverlap: Rule = (values) => {
  const overlap = values.overlap as number | undefined;
  const tooShort = ['every', 'max-duration'].find(
    (name) => overlap !== undefined && values[name] !== undefined && overlap * 2 >= (values[name] as number),
  );
  return tooShort === undefined ? undefined : `--overlap must be less than half of --${tooShort}`;
};

function isAbove(one: unknown, other: unknown): boolean {
  return typeof one === 'number' && typeof other === 'number' && one > other;
}

const RULES: readonly Rule[] = [checkSnap, checkMinSilence, checkLeastLength, checkOverlap];
