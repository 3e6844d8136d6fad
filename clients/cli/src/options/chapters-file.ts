/** Chapters out of a file: what Podcasting 2.0 calls JSON chapters, or the list alone. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { messageOf } from '../message-of.ts';
import { UsageError } from '../usage.ts';
import type { ReadContext } from './cut-option.ts';

interface Chapter {
  readonly startTime: number | string;
  readonly title?: string;
  readonly toc?: boolean;
}

/** Fields without an effect on a split are omitted. Throws UsageError. */
export function readChaptersFile(file: string, { workingDir }: ReadContext): readonly Chapter[] {
  const list = chaptersIn(readJson(file, workingDir));
  if (list === undefined) throw new UsageError(`--chapters-from ${file}: there is no list of chapters in it`);
  return list.map((each, index) => {
    const { startTime, title, toc } = Object(each);
    if (typeof startTime !== 'number' && typeof startTime !== 'string') {
      throw new UsageError(`--chapters-from ${file}: chapters[${index}] has no startTime`);
    }
    return {
      startTime,
      ...(typeof title === 'string' ? { title } : {}),
      ...(typeof toc === 'boolean' ? { toc } : {}),
    };
  });
}

function readJson(file: string, workingDir: string): unknown {
  try {
    return JSON.parse(readFileSync(resolve(workingDir, file), 'utf8'));
  } catch (error) {
    const [mistake] = messageOf(error).split('\n');
    throw new UsageError(`--chapters-from ${file}: it cannot be read as JSON (${mistake})`);
  }
}

function chaptersIn(json: unknown): readonly unknown[] | undefined {
  const list = Array.isArray(json) ? json : Object(json).chapters;
  return Array.isArray(list) && list.length > 0 ? list : undefined;
}
