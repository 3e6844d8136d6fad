/** What is chosen and typed on the page of a split, by entry of the history, so that Back brings it as it was. */

import type { Chosen, ChosenSource } from '../audio/chosen-source.ts';
import { type Destination, NO_DESTINATION } from '../audio/destination.ts';
import { readDuration } from '../audio/duration.ts';
import { type Peaks, readPeaks } from '../audio/peaks.ts';
import { DEFAULT_FIELDS, type SplitFields } from '../audio/split-fields.ts';
import { createStore } from './store.ts';

/** What is known of the source: what the browser has found out about a local file, or a dry run has. */
export interface Look {
  readonly seconds: number | undefined;
  readonly peaks: Peaks | undefined;
  readonly isOver: boolean;
  /** A dry run of the same source, whose waveform the service has. */
  readonly dryRunId?: string;
}

export interface SplitDraft {
  readonly source: Chosen | undefined;
  readonly look: Look;
  readonly text: SplitFields;
  /** With which a link is asked for, as typed. */
  readonly headers: string;
  readonly destination: Destination;
  /** What has been made of it. */
  readonly submissionId: number | undefined;
}

const MAX_DRAFTS = 20;
/** No entry of the history. */
const PREPARED = 0;
const NO_LOOK: Look = { seconds: undefined, peaks: undefined, isOver: false };
const EMPTY: SplitDraft = {
  source: undefined,
  look: NO_LOOK,
  text: DEFAULT_FIELDS,
  headers: '',
  destination: NO_DESTINATION,
  submissionId: undefined,
};

export const drafts = createStore<ReadonlyMap<number, SplitDraft>>(new Map());

/** The newest one that was not sent: the page goes on with it wherever it is opened anew. */
let unsent: number | undefined;

export function draftAt(entry: number): SplitDraft {
  const known = drafts.get();
  return known.get(entry) ?? (unsent === undefined ? undefined : known.get(unsent)) ?? EMPTY;
}

export function changeDraft(entry: number, change: Partial<Omit<SplitDraft, 'look'>>): void {
  const draft = { ...draftAt(entry), ...change };
  const isNewSource = 'source' in change;
  const headers = originOf(draft.source) === originOf(draftAt(entry).source) ? draft.headers : '';
  set(entry, isNewSource ? { ...draft, look: NO_LOOK, headers } : draft);
  unsent = change.submissionId === undefined ? entry : undefined;
  if (isNewSource && change.source?.kind === 'file') void lookAt(change.source);
}

/** Credentials for one are not for another. */
function originOf(source: Chosen | undefined): string | undefined {
  return source?.kind === 'url' ? URL.parse(source.url)?.origin : undefined;
}

/** What the next visit to the page begins with. */
export function prepareDraft(draft: Partial<SplitDraft>): void {
  unsent = PREPARED;
  set(PREPARED, { ...EMPTY, ...draft });
}

/** They belong to one account. */
export function forgetDrafts(): void {
  unsent = undefined;
  drafts.set(new Map());
}

function set(entry: number, draft: SplitDraft): void {
  const others = [...drafts.get()].filter(([each]) => each !== entry);
  drafts.set(new Map([...others.slice(1 - MAX_DRAFTS), [entry, draft]]));
}

/** Reads the duration first, which is quick. */
async function lookAt(source: ChosenSource & { readonly kind: 'file' }): Promise<void> {
  const found = (look: Look) => {
    for (const [each, draft] of drafts.get()) {
      if (draft.source === source) set(each, { ...draft, look });
    }
  };
  const seconds = await readDuration(source.file);
  found({ seconds, peaks: undefined, isOver: false });
  const peaks = await readPeaks(source.file, seconds);
  found({ seconds: seconds ?? peaks?.seconds, peaks, isOver: true });
}
