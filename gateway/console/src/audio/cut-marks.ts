/** Cuts that the sound or the file has made, to be marked on a waveform. */

export interface Mark {
  readonly seconds: number;
  readonly kind: 'silence' | 'chapter';
}

interface EndedSegment {
  readonly endTime: number;
  readonly cut?: string | undefined;
}

const KINDS: Readonly<Record<string, Mark['kind']>> = { silence: 'silence', chapter: 'chapter' };
const LEGEND = { silence: '● in a silence', chapter: '◆ at a chapter' } as const;

export function marksOf(segments: readonly EndedSegment[]): Mark[] {
  return segments.flatMap(({ endTime, cut }) => {
    const kind = cut === undefined ? undefined : KINDS[cut];
    return kind === undefined ? [] : [{ seconds: endTime, kind }];
  });
}

/** Of the signs that there are. */
export function legendOf(marks: readonly Mark[]): string {
  const kinds = new Set(marks.map(({ kind }) => kind));
  return [...kinds].map((kind) => `${LEGEND[kind]}.`).join(' ');
}
