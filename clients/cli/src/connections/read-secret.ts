import { text } from 'node:stream/consumers';
import type { CommandContext } from '../command-context.ts';
import { UsageError } from '../usage.ts';

/** Of a key pair. Never an argument, which every process of the machine could see. Throws UsageError. */
export async function readSecret({ env, stdin }: Pick<CommandContext, 'env' | 'stdin'>): Promise<string> {
  const given = env.S3_SECRET_ACCESS_KEY ?? '';
  if (given === '' && stdin.isTTY === true)
    throw new UsageError('set S3_SECRET_ACCESS_KEY to the secret of the key, or pipe it in');
  const secret = given === '' ? (await text(stdin)).trim() : given;
  if (secret === '')
    throw new UsageError('the secret of the key is empty: set S3_SECRET_ACCESS_KEY to it, or pipe it in');
  return secret;
}
