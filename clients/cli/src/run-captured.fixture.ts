import { Readable } from 'node:stream';
import { runProgram } from './program.ts';

export interface Captured {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the program in this process and returns what it wrote. */
export async function runCaptured(
  args: readonly string[],
  {
    env,
    workingDir,
    input = '',
  }: { readonly env: NodeJS.ProcessEnv; readonly workingDir: string; readonly input?: string },
): Promise<Captured> {
  const written = { stdout: '', stderr: '' };
  const to = (name: keyof typeof written) => ({
    write(text: string) {
      written[name] += text;
    },
  });
  const code = await runProgram({
    args,
    env,
    workingDir,
    stdin: Readable.from([input]),
    stdout: to('stdout'),
    stderr: to('stderr'),
  });
  return { code, ...written };
}
