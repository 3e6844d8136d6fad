import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { codeOf, type ErrorCode, STATUS_OF_CODE } from '../http/errors/error-codes.ts';
import { JOB_ERROR_CODES } from '../schemas/splits.ts';
import { ERRORS_PAGE, renderErrorsPage } from './errors-page.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

test('docs/reference/errors.md matches the codes', async () => {
  const actual = await readFile(ERRORS_PAGE, 'utf8').catch(() => '');
  assert.equal(actual, renderErrorsPage(), 'run `npm run generate -- errors`');
});

/**
 * Reads the sources, because no single test can produce every error. Where an error is thrown, its code is
 * the first argument, the `code` or `reason` of the returned object, or the code of an expired link. Tables
 * of codes have none of these forms, so a code that is only in a table counts as never produced.
 */
const API_ERROR = /\b(?:ApiError\(|admitLink\([^)]*,)\s*'([A-Z_]+)'/g;
const SERVICE_ERROR = /(?:\b(?:ServiceError|super)\(|\breason:)\s*Reason\.([A-Z_]+)\b/g;
const JOB_ERROR = /(?:\b(?:SourceError|MediaError|PlanError)\(|\bcode:)\s*'([A-Z_]+)'/g;

test('every documented code is produced somewhere', async () => {
  const outside = await sourcesOf('gateway/src');
  const inside = [...outside, ...(await sourcesOf('{services/*,clients/engine}/src'))];
  const reasons = Object.values(Reason).filter((reason): reason is Reason => typeof reason === 'number');
  const givenReasons = matches(inside, SERVICE_ERROR);
  const produced = new Set<string>([
    ...matches(outside, API_ERROR),
    ...reasons.filter((reason) => givenReasons.has(Reason[reason])).map((reason) => codeOf(reason)),
  ]);
  const promised = Object.keys(STATUS_OF_CODE) as ErrorCode[];
  assert.deepEqual(
    promised.filter((code) => !produced.has(code)),
    [],
  );
});

// Covers D-2.6 D-2.7 D-2.8 D-2.9 D-2.10 D-2.11
test('every documented reason of a failed job is produced by a worker or the jobs service', async () => {
  const folders = [
    'clients/cuts/src/plan',
    'clients/engine/src',
    'services/splitter/src',
    'services/jobs/src',
  ];
  const produced = matches((await Promise.all(folders.map(sourcesOf))).flat(), JOB_ERROR);
  assert.deepEqual([...produced].filter(isJobErrorCode).sort(), [...JOB_ERROR_CODES].sort());
});

const isJobErrorCode = (code: string) => JOB_ERROR_CODES.some((known) => known === code);

function matches(texts: readonly string[], pattern: RegExp): ReadonlySet<string> {
  return new Set(texts.flatMap((text) => Array.from(text.matchAll(pattern), ([, code = '']) => code)));
}

async function sourcesOf(folder: string): Promise<string[]> {
  const files = globSync(`${folder}/**/*.ts`, { cwd: ROOT }).filter(
    (file) => !/\.(test|contract|d)\.ts$|\/testing\//.test(file),
  );
  return Promise.all(files.map((file) => readFile(join(ROOT, file), 'utf8')));
}
