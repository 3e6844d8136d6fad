import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Cuts } from '@audiosplit/engine';
import { parseOptions, readFormat } from '../arguments.ts';
import { readCut } from '../options/cut-options.ts';
import { planTasks, type SplitTask } from '../sources.ts';
import { UsageError } from '../usage.ts';

export interface CutOrder {
  /** At least one; none is a URL. */
  readonly tasks: readonly SplitTask[];
  readonly cuts: Cuts;
  readonly force: boolean;
  readonly isPlan: boolean;
  readonly isJson: boolean;
}

export const CUT_COMMAND_OPTIONS = {
  to: { type: 'string' },
  out: { type: 'string', short: 'o' },
  force: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

/** Undefined: the help is asked for. Relative paths are seen from `workingDir`. Throws UsageError. */
export async function parseCutOrder(
  args: readonly string[],
  workingDir: string,
): Promise<CutOrder | undefined> {
  const { values, cut, positionals } = parseOptions(args, CUT_COMMAND_OPTIONS);
  if (values.help) return undefined;
  if (positionals.length === 0) throw new UsageError('name the file to cut; --help shows how');
  const { dryRun = false, ...settings } = readCut(cut, { workingDir });
  const outputFormat = values.to === undefined ? undefined : readFormat(values.to);
  const sources = await expandPatterns(positionals, workingDir);
  return {
    tasks: planTasks(sources, workingDir, values.out).map(refuseUrls),
    cuts: { ...settings, ...(outputFormat === undefined ? {} : { outputFormat }) } as Cuts,
    force: values.force,
    isPlan: dryRun,
    isJson: values.json,
  };
}

function refuseUrls(task: SplitTask): SplitTask {
  if (task.source.kind !== 'url') return task;
  throw new UsageError(
    `${task.source.url} is a URL: cut takes files; audiosplit split takes URLs, or pipe the download into cut -`,
  );
}

/**
 * Shells expand patterns, except quoted ones and on Windows. A file may have a name that looks like a
 * pattern.
 */
async function expandPatterns(given: readonly string[], workingDir: string): Promise<readonly string[]> {
  const expanded = await Promise.all(
    given.map(async (each) => {
      if (!/[*?[\]{}]/.test(each) || /^[a-z]+:\/\//i.test(each) || (await isThere(resolve(workingDir, each))))
        return [each];
      // Loaded for patterns alone: starts are to be short.
      const { glob } = await import('tinyglobby');
      const found = await glob(each, { cwd: workingDir, absolute: true, expandDirectories: false });
      if (found.length === 0) throw new UsageError(`no file fits ${each}`);
      return found.sort();
    }),
  );
  return [...new Set(expanded.flat())];
}

function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
