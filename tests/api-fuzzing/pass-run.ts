import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FuzzedAccount } from './installation.ts';
import type { Pass } from './passes.ts';
import { type Report, type Verdict, verdictOf } from './verdict.ts';

interface PassRun {
  readonly command: readonly [string, ...string[]];
  readonly pass: Pass;
  readonly account: FuzzedAccount;
  readonly baseUrl: string;
  /** Options of schemathesis: which operations to test, how many requests to generate, and from what. */
  readonly options: readonly string[];
  /** The folder for the run's output. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

/**
 * One run of schemathesis, which writes to this process's outputs. Rejects with an AbortError when aborted.
 */
export async function runPass(run: PassRun): Promise<Verdict> {
  const { command, account, baseUrl, options, folder, signal } = run;
  const configFile = join(folder, 'schemathesis.toml');
  const reportFile = join(folder, 'report.json');
  await writeFile(configFile, await configurationOf(run));
  await rm(reportFile, { force: true });
  const [file, ...launch] = command;
  const task = ['run', `${baseUrl}/openapi.json`, '--report-json-path', reportFile];
  const child = spawn(file, [...launch, '--config-file', configFile, ...task, ...options], {
    cwd: folder,
    stdio: 'inherit',
    signal,
    env: {
      ...process.env,
      FUZZED_BASE_URL: baseUrl,
      FUZZED_API_KEY: account.apiKey,
      FUZZED_API_KEY_ID: account.apiKeyId,
      PYTHONDONTWRITEBYTECODE: '1',
    },
  });
  const [code] = await once(child, 'close');
  return verdictOf(code, JSON.parse(await readFile(reportFile, 'utf8')) as Report);
}

/** The configuration of all passes, with the settings of this one. */
async function configurationOf({ pass, account }: PassRun): Promise<string> {
  const shared = await readFile(join(import.meta.dirname, 'schemathesis.toml'), 'utf8');
  const credential =
    pass.scheme === 'apiKey' ? `api_key = "${account.apiKey}"` : `bearer = "${account.accessToken}"`;
  const hooks = JSON.stringify(join(import.meta.dirname, 'hooks.py'));
  return `hooks = ${hooks}\n${shared}\n[auth.openapi.${pass.scheme}]\n${credential}\n`;
}
