import type { CreateJobBody } from '@audiosplit/gateway/schemas/splits';
import type { OutputFormat } from '@audiosplit/proto/vocabulary';
import { parseTime } from '../format/typed-time.ts';

/** Where and how a source is cut: the API's fields, as the form requests them and as jobs have them. */
export type Cut = Omit<
  CreateJobBody,
  'sourceUrl' | 'sourceHeaders' | 'outputFormat' | 'destination' | 'keepCopy' | 'webhookUrl' | 'metadata'
>;
export type SplitMode = Cut['splitMode'];

export interface SplitRequest {
  readonly cut: Cut;
  /** Undefined: the source's format. */
  readonly format: OutputFormat | undefined;
}

/** What a text of the form says, or what is wrong with it. An empty problem: something is missing, nothing is wrong. */
export type Parsed<T> =
  | { readonly value: T; readonly problem?: never }
  | { readonly value?: never; readonly problem: string };

/** A position in a cut. Jobs have numbers; a request may have a text. */
export function secondsOf(position: number | string): number {
  return typeof position === 'number' ? position : (parseTime(position) ?? 0);
}
