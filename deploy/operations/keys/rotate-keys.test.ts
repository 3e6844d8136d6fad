import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempDisposable, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, describe, test } from 'node:test';
import { parseEnv } from 'node:util';
import { systemClock } from '@audiosplit/chassis/clock';
import {
  environmentOfProcess,
  type IdentityEnvironment,
  makeIdentities,
  privateKeyVariable,
} from '@audiosplit/chassis/identity/identity-environment';
import { readIdentityKeys } from '@audiosplit/chassis/identity/keys';
import { createSigner, createVerifier } from '@audiosplit/chassis/identity/tokens';
import type { Env } from '@audiosplit/chassis/process/env';
import { withVariables } from '@audiosplit/chassis/secrets/secrets-file';
import { PROCESSES, type Process } from '@audiosplit/proto/callers';
import { JobsService } from '@audiosplit/proto/jobs/v1/jobs';
import { repositoryRoot } from '../../launcher.mjs';
import { runOperatorCommand } from '../commands.ts';

const LAUNCHER = join(repositoryRoot, 'deploy/launcher.mjs');
const keyOfSecret = (process: Process) => `${process}-private-key`;
const base64 = (text: string) => Buffer.from(text).toString('base64');
const fromBase64 = (text = '') => Buffer.from(text, 'base64').toString();

interface Kind {
  readonly name: string;
  readonly write: (keys: IdentityEnvironment) => string;
  readonly read: (text: string) => Env;
  /** The other content, which must stay. */
  readonly rest: RegExp;
}

const KINDS: readonly Kind[] = [
  {
    name: 'secrets.json',
    write: (identities) => JSON.stringify({ authSecret: 'stays', identities }),
    read: (text) => JSON.parse(text).identities,
    rest: /"authSecret": "stays"/,
  },
  {
    name: '.env',
    write: (keys) => withVariables('# By hand\nAUTH_SECRET=stays\n', keys),
    read: (text) => parseEnv(text),
    rest: /^# By hand\nAUTH_SECRET=stays\n/,
  },
  {
    name: 'secret of kubernetes.json',
    write(keys) {
      const data = Object.fromEntries(
        PROCESSES.map((each) => [keyOfSecret(each), base64(keys[privateKeyVariable(each)])]),
      );
      const publicKeys = base64(keys.IDENTITY_PUBLIC_KEYS);
      return JSON.stringify({
        kind: 'Secret',
        data: { 'auth-secret': 'stays', ...data, 'public-keys': publicKeys },
      });
    },
    read(text) {
      const { data } = JSON.parse(text);
      const keys = PROCESSES.map((each) => [privateKeyVariable(each), fromBase64(data[keyOfSecret(each)])]);
      return { ...Object.fromEntries(keys), IDENTITY_PUBLIC_KEYS: fromBase64(data['public-keys']) };
    },
    rest: /"auth-secret": "stays"/,
  },
];

const { getJob } = JobsService.method;
const keysIn = (env: Env) => readIdentityKeys(environmentOfProcess(env, 'gateway'), 'gateway');

/** Whether a process with the keys of `to` accepts the gateway's call, signed with the keys of `from`. */
async function accepts(to: Env, from: Env): Promise<boolean> {
  const token = await createSigner(keysIn(from), systemClock)(getJob);
  return (await createVerifier(keysIn(to).publicKeys, systemClock)(getJob, token)) !== undefined;
}

describe('npm run operate -- rotate-keys', async () => {
  const stack = new AsyncDisposableStack();
  after(() => stack.disposeAsync());
  const folder = stack.use(await mkdtempDisposable(join(tmpdir(), 'audiosplit-keys-')));
  const run = async (...args: string[]) => {
    const output: string[] = [];
    await runOperatorCommand(['rotate-keys', ...args], {}, (text) => void output.push(text));
    return output.join('');
  };

  for (const { name, write, read, rest } of KINDS) {
    test(`changes the keys of ${name}, and the processes of each step accept those of the steps before and after it`, async () => {
      const file = join(folder.path, name);
      const before = makeIdentities();
      await writeFile(file, write(before));
      const after = async (step: string) => {
        assert.match(await run(step, file), /next: restart every process/);
        return read(await readFile(file, 'utf8'));
      };
      const added = await after('add');
      const used = await after('use');
      const removed = await after('remove');

      const steps = [before, added, used, removed];
      for (const [n, present] of steps.entries()) {
        for (const beside of steps.slice(Math.max(0, n - 1), n + 2))
          assert.ok(await accepts(present, beside));
      }
      for (const process of PROCESSES) {
        const [former, next] = [before, removed].map((env) => env[privateKeyVariable(process)]);
        assert.notEqual(former, next);
        assert.equal(used[privateKeyVariable(process)], `${next}\n${former}`);
      }
      assert.equal(await accepts(removed, before), false);
      assert.match(await readFile(file, 'utf8'), rest);
      assert.equal((await stat(file)).mode & 0o777, 0o600);
    });
  }

  test('prints in a pipe its input with the changed keys, and nothing else', async () => {
    const [, , { write, read, rest } = assert.fail()] = KINDS;
    let piped = write(makeIdentities());
    for (const step of ['add', 'use', 'remove']) {
      const before = read(piped);
      const program = spawn(process.execPath, [LAUNCHER, 'operate', 'rotate-keys', step, '-'], {
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      program.stdin.end(piped);
      piped = await text(program.stdout);
      assert.match(JSON.stringify(JSON.parse(piped), null, 2), rest);
      assert.ok(await accepts(read(piped), before), step);
      assert.notDeepEqual(read(piped), before);
    }
  });

  test('rejects a step that is not the next one, and changes nothing', async () => {
    const file = join(folder.path, 'secrets.json');
    await writeFile(file, JSON.stringify({ identities: makeIdentities() }));
    const refuses = async (...steps: string[]) => {
      const before = await readFile(file, 'utf8');
      for (const step of steps) await assert.rejects(run(step, file), /the next step is \w+, not/);
      assert.equal(await readFile(file, 'utf8'), before);
    };
    await refuses('use', 'remove');
    await run('add', file);
    await refuses('add', 'remove');
    await run('use', file);
    await refuses('add', 'use');
  });

  test('rejects a file without keys, and shows the usage', async () => {
    const file = join(folder.path, 'empty.json');
    await writeFile(file, '{}');
    await assert.rejects(run('add', file), /empty\.json: it does not hold the keys/);
    await assert.rejects(run('add', join(folder.path, 'missing.json')), /missing\.json: ENOENT/);
    for (const args of [[], ['add'], ['start', file], ['add', file, file]]) {
      await assert.rejects(run(...args), {
        name: 'StartError',
        message: /^usage: .* rotate-keys /,
      });
    }
  });
});
