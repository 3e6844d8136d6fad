/** Runs the guide's code as a reader does who copies it: commands in a shell, programs from a file. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { Env } from '@audiosplit/chassis/process/env';
import { until } from '@audiosplit/chassis/testing/until';
import { repositoryRoot, sourceFlags } from '../../deploy/launcher.mjs';
import { findExecutable } from '../../deploy/provision/executable.ts';
import { freePort } from '../../deploy/provision/free-port.ts';
import type { CodeBlock } from '../../gateway/console/src/guide/code-blocks.ts';
import { runCommand, startCommand } from '../harness/installation/as-a-user/command.ts';
import { readTourSteps, type TourStep, tourScript } from '../harness/readme-tour.ts';

const isWhole = process.env.GUIDE_LANGUAGES === 'all';

/** Options of a test whose code is in this language. */
export function skippedWithout(language: string): { readonly skip?: string } {
  if (isWhole || language === 'js') return {};
  if (language !== 'sh') return { skip: 'npm run verify -- guide' };
  return findExecutable('curl') === undefined ? { skip: 'there is no curl' } : {};
}

/** Runs all blocks in one shell, in order; returns the output of each. */
export async function runInShell(
  blocks: readonly CodeBlock[],
  cwd: string,
  env: Env,
): Promise<readonly TourStep[]> {
  const stdin = tourScript(blocks.map(({ text }) => `${text}\n`));
  const { stdout, stderr } = await runCommand(['bash', '--noprofile', '--norc'], { cwd, env, stdin });
  const steps = readTourSteps(stdout, stderr);
  assert.equal(steps.length, blocks.length, `it broke off:\n${stdout}\n${stderr}`);
  return steps;
}

/** Puts `audiosplit` where npx finds it without a registry: from the sources, so it needs no release. */
export async function provideCommand(cwd: string): Promise<void> {
  const folder = join(cwd, 'node_modules/.bin');
  await mkdir(folder, { recursive: true });
  const program = [process.execPath, ...sourceFlags, join(repositoryRoot, 'clients/cli/src/main.ts')];
  const words = program.map((word) => `'${word}'`).join(' ');
  await writeFile(join(folder, 'audiosplit'), `#!/bin/sh\nexec ${words} "$@"\n`, { mode: 0o755 });
}

/** Runs a program to its end, which must be successful; returns the lines that it wrote. */
export async function runProgram(block: CodeBlock, cwd: string, env: Env): Promise<readonly string[]> {
  const command = await build(block, cwd);
  const { code, stdout, stderr } = await runCommand(command, { cwd, env });
  assert.equal(code, 0, `${stdout}\n${stderr}`);
  return stdout.trimEnd().split('\n');
}

/** Starts a program that listens on PORT. */
export async function startReceiver(block: CodeBlock, cwd: string, environment: Env) {
  const port = await freePort();
  const env = { ...environment, PORT: String(port) };
  const { child, output, exited } = startCommand(await build(block, cwd), { cwd, env });
  await until(() => {
    assert.equal(child.exitCode, null, output().stderr);
    return isListening(port);
  }, `${block.fileName} listens`);
  return {
    url: `http://127.0.0.1:${port}/`,
    /** The lines that it has written. */
    lines: () => output().stdout.trimEnd().split('\n'),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** Writes the program to a file; returns the command that runs it. */
async function build(block: CodeBlock, cwd: string): Promise<readonly [string, ...string[]]> {
  const { language, fileName = '', text } = block;
  const path = join(cwd, fileName);
  await writeFile(path, `${text}\n`);
  switch (language) {
    case 'js':
      return [process.execPath, path];
    case 'py':
      return ['python3', path];
    case 'go': {
      const program = path.replace(/\.go$/, '');
      const { code, stderr } = await runCommand(['go', 'build', '-o', program, path], { cwd });
      assert.equal(code, 0, stderr);
      return [program];
    }
    default:
      throw new Error(`no test runs ${fileName} in ${language}`);
  }
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
