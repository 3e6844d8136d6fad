/** Targets with faults that the fuzzer must find, one each, behind a condition that some mutants meet. */
import { createCase, readCase } from '../engine/fuzz-case.ts';
import type { FuzzTarget } from '../engine/fuzz-target.ts';
import { type Grammar, words } from '../grammars/grammar.ts';

const GRAMMAR: Grammar = {
  describe: (source) => ({
    fields: [{ at: 0, byteCount: 4, order: 'big', covers: { start: 4, end: source.length } }],
    parts: [{ start: 4, end: source.length }],
  }),
  repair: () => undefined,
  words: words('magic'),
};
const SEED = createCase(Buffer.from('\0\0\0\u0008sound   '));

const LOCK = new Int32Array(new SharedArrayBuffer(4));
export const DAWDLE_MS = 600;

const FAULTS: Readonly<Record<string, (source: Buffer) => Promise<void> | void>> = {
  harmless: () => undefined,
  throws(source) {
    if (source.includes('magic')) throw new TypeError('planted');
  },
  rejects(source) {
    if (source.includes('magic')) void Promise.reject(new Error('planted'));
  },
  allocates(source) {
    if (source.length >= 4) Buffer.alloc(Math.min(source.readUInt32BE(0), 2 ** 30));
  },
  waits: (source) => (source.includes('magic') ? new Promise(() => undefined) : undefined),
  hangs(source) {
    while (source.includes('magic'));
  },
  locks(source) {
    if (source.includes('magic')) Atomics.wait(LOCK, 0, 0);
  },
  /** Slow by the clock, without processor time: as on a machine that is busy with other things. */
  dawdles(source) {
    if (source.includes('magic')) Atomics.wait(LOCK, 0, 0, DAWDLE_MS);
  },
  bloats(source) {
    for (const hoard: string[][] = []; source.includes('magic'); )
      hoard.push(Array.from({ length: 1e5 }, String));
  },
};

export async function loadTarget(name: string): Promise<FuzzTarget> {
  return {
    name,
    grammar: GRAMMAR,
    seeds: () => [SEED],
    run: async (input) => FAULTS[name]?.(readCase(input).source),
  };
}
