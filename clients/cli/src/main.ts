#!/usr/bin/env node
import { runProgram } from './program.ts';

const { argv, env, stdin, stdout, stderr } = process;
process.exit(
  await runProgram({ args: argv.slice(2), env, workingDir: process.cwd(), stdin, stdout, stderr }),
);
