/** The program `audiosplit` as a client, through its arguments, exit codes and output. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCaptured } from 'audiosplit/run-captured.fixture';
import type { Client, Journey, Outcome } from './case.ts';

export const programClient: Client = (journeys) => Promise.all(journeys.map(make));

async function make({ run: { get, wait, cancel, download }, url, key, folder }: Journey): Promise<Outcome> {
  const server = ['--server', url, '--key', key, '--json'];
  const call = (...args: readonly string[]) => run(['jobs', ...args, ...server], folder);
  if (get !== undefined) return idAndStatus(await call('show', get));
  if (wait !== undefined) return idAndStatus(await call('wait', wait));
  if (cancel !== undefined) {
    const { failure, row } = await call('cancel', cancel);
    return failure ?? { id: row.id };
  }
  const { failure } = await call('download', download ?? '', '--out', folder);
  return failure ?? { files: await readSegments(folder) };
}

interface Called {
  readonly failure?: Outcome;
  readonly row: { readonly id: string; readonly status: string };
}

function idAndStatus({ failure, row: { id, status } }: Called): Outcome {
  return failure ?? { id, status };
}

async function run(args: readonly string[], workingDir: string): Promise<Called> {
  const env = { XDG_CONFIG_HOME: workingDir };
  const { code, stdout, stderr } = await runCaptured(args, { env, workingDir });
  if (code === 0) return { row: JSON.parse(stdout) };
  const last = stderr.trimEnd().split('\n').at(-1) ?? '';
  return { failure: failureOf(last), row: { id: '', status: '' } };
}

/** Failures other than the API's become `HTTP_` and a status, or a message that doubts the server. */
function failureOf(line: string): Outcome {
  if (/^HTTP_\d+: |does not answer like audiosplit/.test(line)) return { error: 'UNEXPECTED_ANSWER' };
  const code = /^([A-Z_]+): /.exec(line)?.[1];
  return code === undefined ? { refused: true } : { error: code };
}

async function readSegments(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(folder)).filter((name) => name !== 'manifest.json');
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  return Object.fromEntries(names.map((name, index) => [name, texts[index] ?? '']));
}
