import { readFile } from 'node:fs/promises';
import { text as readAll } from 'node:stream/consumers';
import { messageOf } from '@audiosplit/chassis/errors';
import { StartError } from '@audiosplit/chassis/process/lifecycle';
import { writeSecretsFile } from '@audiosplit/chassis/secrets/secrets-file';
import { changeKeys } from './keys-document.ts';
import { rotateKeys, STEPS } from './rotation.ts';

export const ROTATE_KEYS_USAGE = `usage: npm run operate -- rotate-keys add|use|remove <file> | -
New keys with which processes sign their calls, in three steps. Restart every process after each of them:
add     makes new keys, which all processes then accept
use     each process signs with its new key
remove  the former keys are accepted no longer. Wait 24 h after use, as long as responses are stored
A step that is not the next one is refused. The file is
  secrets.json in DATA_DIR         of npm run up. Then: npm run up -- restart
  deploy/containers/compose/.env   of npm run compose. Then: npm run compose -- up --detach
  a Secret of Kubernetes in JSON   with - from standard input to standard output:
    kubectl get secret <name> -o json | npm run --silent operate -- rotate-keys add - | kubectl replace -f -`;

const NEXT = {
  add: 'restart every process, then use',
  use: 'restart every process, wait 24 h, then remove',
  remove: 'restart every process',
} as const;

/** Throws StartError. */
export async function runRotateKeysCommand(
  args: readonly string[],
  write: (text: string) => void,
): Promise<void> {
  const [name, path, ...others] = args;
  const step = STEPS.find((each) => each === name);
  if (step === undefined || path === undefined || others.length > 0) throw new StartError(ROTATE_KEYS_USAGE);
  const isPiped = path === '-';
  try {
    const present = isPiped ? await readAll(process.stdin) : await readFile(path, 'utf8');
    const changed = changeKeys(present, (keys) => rotateKeys(keys, step));
    if (isPiped) return write(changed);
    await writeSecretsFile(path, changed);
  } catch (error) {
    throw new StartError(`${isPiped ? 'standard input' : path}: ${messageOf(error)}`, { cause: error });
  }
  write(`${path} is changed\nnext: ${NEXT[step]}\n`);
}
