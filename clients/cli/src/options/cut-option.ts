/** What an option of a cut is, and how the numbers among them are read. */
import { SPLIT_BOUNDS } from '@audiosplit/client';

export interface ReadContext {
  /** Relative paths are seen from it. */
  readonly workingDir: string;
}

export interface CutOption {
  /** The field of its value in a request. If several options set it, the first given one counts. */
  readonly field?: string | Readonly<Record<string, string>>;
  /** What stands behind it, in the help. A flag has none. */
  readonly value?: string;
  readonly help: string;
  /** Undefined if the text is invalid. A flag is read from the empty text. Throws UsageError where it can say more. */
  readonly parse: (text: string, context: ReadContext) => unknown;
  /** Behind `give`, where the text is invalid. */
  readonly expected?: string;
  /** The option of which it is another name. */
  readonly sameAs?: string;
  /** Options that it cannot stand beside. */
  readonly excludes?: readonly string[];
}

type Bounded = keyof typeof SPLIT_BOUNDS;

/** Undefined outside of what the API takes. */
export function within(value: number | undefined, field: Bounded): number | undefined {
  const { minimum, maximum } = SPLIT_BOUNDS[field];
  return value !== undefined && value >= minimum && value <= maximum ? value : undefined;
}

/** `from 1 to 86400` */
export function rangeOf(field: Bounded): string {
  const { minimum, maximum } = SPLIT_BOUNDS[field];
  return `from ${minimum} to ${maximum}`;
}
