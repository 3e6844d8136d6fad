/**
 * Where a source is cut. A mode is one file of this folder, which turns the request's `Cut` into a `CutRule`
 * (`cut-rule.ts`); the routes that copy and convert see rules and borders only. A new mode is a member of the message Cut,
 * a file beside `duration.ts`, and a line of `create-cut-rule.ts`.
 */
import type { Cut as ProtoCut } from '@audiosplit/proto/jobs/v1/cut';

/** The message Cut as plain data, which can be passed to a thread. */
export type Cut = Plain<ProtoCut['mode']>;

type Plain<M> = M extends { case: infer Mode extends string; value: infer Fields }
  ? { readonly mode: Mode } & Readonly<Omit<Fields, '$typeName' | '$unknown'>>
  : never;

export function fromProtoCut(cut: ProtoCut | undefined): Cut {
  if (cut?.mode.case === undefined) throw new Error('no cut, or one that is not known to this version');
  const { $typeName: _, $unknown: __, ...fields } = cut.mode.value;
  return { mode: cut.mode.case, ...fields } as Cut;
}

export const MAX_SEGMENTS = 10_000;

/** A remainder shorter than this joins the segment before it. */
export const MIN_REMAINDER_SECONDS = 0.1;
