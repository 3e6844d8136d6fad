import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { messageOf } from '@audiosplit/chassis/errors';
import { StartError } from '@audiosplit/chassis/process/lifecycle';
import { nameOfBackup } from './backup-series.ts';
import { RESEALED } from './reseal.ts';

type OperationsCommand =
  | {
      readonly kind: 'backup';
      readonly folder: string;
      /** The folder is a new one in `path`; the newest `keep` of these are kept, including this one. */
      readonly series?: { readonly path: string; readonly keep: number };
    }
  | { readonly kind: 'restore'; readonly folder: string; readonly replace: boolean }
  | { readonly kind: 'settle-archived' }
  | { readonly kind: 'reconcile'; readonly apply: boolean; readonly all: boolean }
  | { readonly kind: 'reseal'; readonly service: keyof typeof RESEALED };

export const DATA_COMMANDS_USAGE = `usage: npm run operate -- backup <folder> | --into <folder> --keep <number>
       npm run operate -- restore <folder> [--replace] | --archived
       npm run operate -- reconcile [--apply] [--all]
       npm run operate -- reseal auth|webhooks
backup     writes all schemas as of one moment, and the events in flight, to a new folder. Services may run.
           --into makes a folder in this one, named by the time, and keeps the newest --keep of such folders
restore    restores a backup into the database of DATABASE_URL. Services must be stopped. --replace drops
           the schemas that are there. --archived: the database was restored from its own archive, and the
           bus alone has to be reset
reconcile  compares the database with the bucket. --apply deletes the objects of unknown jobs in a week, and
           has lost invoices drawn again. --all prints every finding instead of the first 20 of each kind
reseal     re-encrypts from AUTH_SECRET to AUTH_SECRET_NEXT, or from WEBHOOKS_SECRET to WEBHOOKS_SECRET_NEXT.
           Without the latter, a secret of several values is resealed with the first of them
All read DATABASE_URL, backup and restore KAFKA_BROKERS, KAFKA_TLS and KAFKA_SASL_*, reconcile STORAGE_URL.`;

/** Throws StartError with the usage. */
export function parseOperationsCommand(
  [name = '', ...args]: readonly string[],
  workingDir: string,
  now: Date,
): OperationsCommand {
  try {
    switch (name) {
      case 'backup':
        return parseBackup(args, workingDir, now);
      case 'restore': {
        if (args.length === 1 && args[0] === '--archived') return { kind: 'settle-archived' };
        const { values, positionals } = read(args, { replace: { type: 'boolean' } }, 1);
        const folder = resolve(workingDir, positionals[0] ?? '');
        return { kind: 'restore', folder, replace: values.replace === true };
      }
      case 'reconcile': {
        const { values } = read(args, { apply: { type: 'boolean' }, all: { type: 'boolean' } }, 0);
        return { kind: 'reconcile', apply: values.apply === true, all: values.all === true };
      }
      case 'reseal': {
        const [service] = read(args, {}, 1).positionals;
        if (service === 'auth' || service === 'webhooks') return { kind: 'reseal', service };
        throw new Error(`reseal takes ${Object.keys(RESEALED).join(' or ')}`);
      }
      default:
        throw new Error('say what to do');
    }
  } catch (error) {
    throw new StartError(`${messageOf(error)}\n${DATA_COMMANDS_USAGE}`);
  }
}

function parseBackup(args: readonly string[], workingDir: string, now: Date): OperationsCommand {
  if (!args.includes('--into')) {
    return { kind: 'backup', folder: resolve(workingDir, read(args, {}, 1).positionals[0] ?? '') };
  }
  const options = { into: { type: 'string' }, keep: { type: 'string' } } as const;
  const { into = '', keep = '' } = parseArgs({ args: [...args], options }).values;
  if (!/^[1-9]\d{0,3}$/.test(keep)) throw new Error('--into takes --keep, a number from 1');
  const path = resolve(workingDir, into);
  return { kind: 'backup', folder: join(path, nameOfBackup(now)), series: { path, keep: Number(keep) } };
}

function read(
  args: readonly string[],
  options: Readonly<Record<string, { readonly type: 'boolean' }>>,
  positionals: number,
) {
  const parsed = parseArgs({ args: [...args], options, allowPositionals: true });
  if (parsed.positionals.length === positionals) return parsed;
  throw new Error(positionals === 0 ? 'there are unknown arguments' : 'name one folder or service');
}
