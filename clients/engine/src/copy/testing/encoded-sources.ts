import assert from 'node:assert/strict';
import { before } from 'node:test';
import { createSource, type SourceSpec } from './ffmpeg.ts';

/** Encodes the sources of a suite before its tests. Returns a function that finds one by its name. */
export function encodedForSuite(specs: Readonly<Record<string, SourceSpec>>): (name: string) => Buffer {
  const sources = new Map<string, Buffer>();
  before(async () => {
    for (const [name, spec] of Object.entries(specs)) sources.set(name, await createSource(spec));
  });
  return (name) => sources.get(name) ?? assert.fail(`there is no source ${name}`);
}
