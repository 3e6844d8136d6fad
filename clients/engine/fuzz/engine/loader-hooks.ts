/**
 * What the fuzzing thread changes about the modules that it loads: those of the engine are instrumented, and
 * their files are read and written without a detour through the thread pool. Nothing else differs from a run in
 * production; the regression test replays its corpus without these hooks.
 */
import { readFileSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { fileURLToPath } from 'node:url';
import { instrument } from './instrument.ts';

const ENGINE = new URL('../../src/', import.meta.url).href;
const REPLACEMENTS: Readonly<Record<string, string>> = {
  'node:fs': new URL('./direct-fs.ts', import.meta.url).href,
  'node:fs/promises': new URL('./direct-fs-promises.ts', import.meta.url).href,
};

/** Returns a function that returns how many branches have a counter. */
export function installLoaderHooks(): () => number {
  let branchCount = 0;
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const replacement = REPLACEMENTS[specifier];
      if (replacement === undefined || !context.parentURL?.startsWith(ENGINE))
        return nextResolve(specifier, context);
      return { url: replacement, format: 'module-typescript', shortCircuit: true };
    },
    load(url, context, nextLoad) {
      if (!url.startsWith(ENGINE) || !url.endsWith('.ts')) return nextLoad(url, context);
      const source = stripTypeScriptTypes(readFileSync(fileURLToPath(url), 'utf8'));
      const module = instrument(source, branchCount);
      branchCount += module.branchCount;
      return { format: 'module', source: module.code, shortCircuit: true };
    },
  });
  return () => branchCount;
}
