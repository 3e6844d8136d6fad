/**
 * A cut in the form in which jobs store it: every time is a number, rounded to the millisecond. A field that
 * was not given stays absent, even if it has a default.
 */
import { roundToMs, toSeconds } from './cut-times.ts';

/** Names of positions, at any depth of a cut. */
const POSITIONS = new Set(['start', 'end', 'startTime', 'endTime', 'splitPoints']);
const LENGTHS = new Set(['maxDuration', 'window', 'minSilence', 'minDuration', 'keepSilence', 'overlap']);

/** For fields whose shape was checked. */
export function normalizeMembers(members: object): object {
  return Object.fromEntries(
    Object.entries(members)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, normalize(name, value)]),
  );
}

function normalize(name: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => normalize(name, each));
  // Its members are chosen by the caller.
  if (name === 'location') return value;
  if (typeof value === 'object' && value !== null) return normalizeMembers(value);
  if (POSITIONS.has(name)) return toSeconds(value as number | string);
  return LENGTHS.has(name) ? roundToMs(value as number) : value;
}
