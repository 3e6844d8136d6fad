import { unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FuzzCase, readCase } from '../engine/fuzz-case.ts';
import type { FuzzTarget } from '../engine/fuzz-target.ts';
import type { Grammar } from '../grammars/grammar.ts';

type Parts = Omit<FuzzTarget, 'run'>;

/** What takes bytes. */
export function parserTarget(
  name: string,
  grammar: Grammar,
  seeds: Parts['seeds'],
  parse: (fuzzCase: FuzzCase) => Promise<void> | void,
): FuzzTarget {
  return { name, grammar, seeds, run: async (input) => parse(readCase(input)) };
}

/** What takes a file. */
export function fileParserTarget(
  name: string,
  grammar: Grammar,
  seeds: Parts['seeds'],
  parse: (path: string, fuzzCase: FuzzCase) => Promise<void>,
): FuzzTarget {
  return {
    name,
    grammar,
    seeds,
    async run(input, workDir) {
      const fuzzCase = readCase(input);
      const path = join(workDir, 'source');
      writeFileSync(path, fuzzCase.source);
      try {
        await parse(path, fuzzCase);
      } finally {
        unlinkSync(path);
      }
    },
  };
}

/** For what works on files that ffmpeg made: of any other it says so with an `Error` of no special kind. */
export async function allowingPlainErrors(run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!(error instanceof Error) || error.constructor !== Error || 'code' in error) throw error;
  }
}
