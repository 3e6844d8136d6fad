import { plural } from '../format/format.ts';

/** What a person wants to split. */
export type ChosenSource =
  | { readonly kind: 'file'; readonly file: File }
  | { readonly kind: 'url'; readonly url: string };

/** Several, with one setting. */
export interface ChosenBatch {
  readonly kind: 'batch';
  readonly sources: readonly ChosenSource[];
}

export type Chosen = ChosenSource | ChosenBatch;

/** Undefined: nothing is chosen. */
export function chosenOf(sources: readonly ChosenSource[]): Chosen | undefined {
  const [first] = sources;
  return sources.length > 1 ? { kind: 'batch', sources } : first;
}

export function nameOf(chosen: Chosen): string {
  switch (chosen.kind) {
    case 'file':
      return chosen.file.name;
    case 'url':
      return chosen.url;
    case 'batch':
      return plural(chosen.sources.length, filesOf(chosen).length === 0 ? 'link' : 'file');
    default:
      return chosen satisfies never;
  }
}

/** What is to be sent. */
export function filesOf(chosen: Chosen): readonly File[] {
  if (chosen.kind === 'file') return [chosen.file];
  return chosen.kind === 'url' ? [] : chosen.sources.flatMap(filesOf);
}

/** One a line. */
export function readLinks(text: string): readonly ChosenSource[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((url) => ({ kind: 'url', url }));
}

export function linksText(chosen: Chosen | undefined): string {
  if (chosen === undefined || chosen.kind === 'file') return '';
  return chosen.kind === 'url' ? chosen.url : chosen.sources.map(linksText).filter(Boolean).join('\n');
}
