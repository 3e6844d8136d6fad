/** The actions, observations and deviations of a drill. */
import { inSeconds, secondsUntil } from '../harness/seconds-until.ts';

export interface JournalEntry {
  /** Seconds since the drill began. */
  readonly atSeconds: number;
  readonly kind: 'did' | 'saw' | 'as expected' | 'deviation';
  readonly text: string;
}

export type Journal = ReturnType<typeof openJournal>;

export function openJournal(nowMs: () => number, onEntry: (entry: JournalEntry) => void) {
  const startedMs = nowMs();
  const entries: JournalEntry[] = [];
  const measures: { readonly what: string; readonly value: string }[] = [];
  const secondsSoFar = () => (nowMs() - startedMs) / 1_000;
  const add = (kind: JournalEntry['kind'], text: string) => {
    const entry = { atSeconds: secondsSoFar(), kind, text };
    entries.push(entry);
    onEntry(entry);
  };
  /** `expectation` is a sentence, `seen` the observation. */
  const expect = (expectation: string, holds: boolean, seen: string) =>
    add(holds ? 'as expected' : 'deviation', `${expectation}: ${seen}`);
  return {
    entries: entries as readonly JournalEntry[],
    measures,
    did: (text: string) => add('did', text),
    saw: (text: string) => add('saw', text),
    expect,
    expectEqual<T extends string | number | undefined>(expectation: string, seen: T, expected: T) {
      expect(expectation, seen === expected, String(seen));
    },
    /** Seconds until the condition holds; undefined after the timeout, which is a deviation. */
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
