/** The actions, observations and deviations of a drill. */
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

export interface Journal {
  readonly entries: readonly JournalEntry[];
  readonly measures: readonly Measure[];
  did(text: string): void;
  saw(text: string): void;
  /** `expectation` is a sentence, `seen` the observation. */
  expect(expectation: string, holds: boolean, seen: string): void;
  measure(what: string, value: string): void;
  secondsSoFar(): number;
}

export interface JournalOptions {
  readonly nowMs: () => number;
  readonly onEntry: (entry: JournalEntry) => void;
}

export function openJournal({ nowMs, onEntry }: JournalOptions): Journal {
  const startedMs = nowMs();
  const entries: JournalEntry[] = [];
  const measures: Measure[] = [];
  const secondsSoFar = () => (nowMs() - startedMs) / 1_000;
  const add = (kind: EntryKind, text: string) => {
    const entry = { atSeconds: secondsSoFar(), kind, text };
    entries.push(entry);
    onEntry(entry);
  };
  return {
    entries,
    measures,
    did: (text) => add('did', text),
    saw: (text) => add('saw', text),
    expect: (expectation, holds, seen) => add(holds ? 'as expected' : 'deviation', `${expectation}: ${seen}`),
    measure: (what, value) => void measures.push({ what, value }),
    secondsSoFar,
  };
}
