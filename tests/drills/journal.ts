/** The actions, observations and deviations of a drill. */
import { inSeconds, secondsUntil } from '../harness/seconds-until.ts';

export type EntryKind = 'did' | 'saw' | 'as expected' | 'deviation';

export interface JournalEntry {
  /** Since the drill began. */
  readonly atSeconds: number;
  readonly kind: EntryKind;
  readonly text: string;
}

export interface Measure {
  readonly what: string;
  readonly value: string;
}

export interface JournalOptions {
  readonly nowMs: () => number;
  readonly onEntry: (entry: JournalEntry) => void;
}

export type Journal = ReturnType<typeof openJournal>;

export function openJournal({ nowMs, onEntry }: JournalOptions) {
  const startedMs = nowMs();
  const entries: JournalEntry[] = [];
  const measures: Measure[] = [];
  const secondsSoFar = () => (nowMs() - startedMs) / 1_000;
  const add = (kind: EntryKind, text: string) => {
    const entry = { atSeconds: secondsSoFar(), kind, text };
    entries.push(entry);
    onEntry(entry);
  };
  /** `expectation` is a sentence, `seen` the observation. */
  const expect = (expectation: string, holds: boolean, seen: string) =>
    add(holds ? 'as expected' : 'deviation', `${expectation}: ${seen}`);
  return {
    entries: entries as readonly JournalEntry[],
    measures: measures as readonly Measure[],
    did: (text: string) => add('did', text),
    saw: (text: string) => add('saw', text),
    expect,
    expectEqual<T extends string | number | undefined>(expectation: string, seen: T, expected: T) {
      expect(expectation, seen === expected, String(seen));
    },
    /** Seconds until it holds; undefined after the timeout, which is a deviation. */
    async expectWithin(
      timeoutMs: number,
      expectation: string,
      holds: () => boolean | Promise<boolean>,
      seen = (took: string): string | Promise<string> => `after ${took}`,
    ) {
      const seconds = await secondsUntil(holds, timeoutMs);
      expect(expectation, seconds !== undefined, await seen(inSeconds(seconds)));
      return seconds;
    },
    measure: (what: string, value: string) => void measures.push({ what, value }),
    secondsSoFar,
  };
}
