/** What a row of a list and a notification tell of a cut: its mode and plain numbers. Lists of positions may be long. */
import type { CutFields } from './cut.ts';

export function toCutRow({ splitMode, ...fields }: CutFields): CutFields {
  return {
    splitMode,
    ...Object.fromEntries(Object.entries(fields).filter(([, value]) => typeof value === 'number')),
  };
}
