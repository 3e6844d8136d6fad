import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { messageOf } from '@audiosplit/chassis/errors';
import { StartError } from '@audiosplit/chassis/process/lifecycle';
import { nameOfBackup } from './backup-series.ts';
import { RESEALED } from './reseal.ts';

export interface BackupSeries {
  readonly path: string;
  /** How many of them stay, this one included. */
  readonly keep: number;
}

export type OperationsCommand =
  /** `series`: the folder is one of several that are made in `path` at regular times. */
  | { readonly kind: 'backup'; readonly folder: string; readonly series?: BackupSeries }
  | { readonly kind: 'restore'; readonly folder: string; readonly replace: boolean }
  | { readonly kind: 'settle-archived' }
  | { readonly kind: 'reconcile'; readonly apply: boolean; readonly all: boolean }
  | { readonly kind: 'reseal'; readonly service: keyof typeof RESEALED };

const USAGE = `usage: npm run operate -- backup <folder> | --into <folder> --keep <number>
       npm run operate -- restore <folder> [--replace] | --archived
       npm run operate -- reconcile [--apply] [--all]
       npm run operate -- reseal auth|webhooks
backup     all schemas as of one moment, and the events in flight, into a new folder; services go on.
           --into: a folder in that one, named by the time; of those made so, the newest --keep stay
restore    puts it into the database of DATABASE_URL; services are stopped. --replace drops what is there.
           --archived: the database's own archiving has brought it back; the bus is to go on from there
reconcile  compares the database with the bucket. --apply has what nobody knows removed in a week, and lost
           invoices drawn again. --all names everything that is found, and not the first 20 of each
reseal     from AUTH_SECRET to AUTH_SECRET_NEXT, or from WEBHOOKS_SECRET to WEBHOOKS_SECRET_NEXT; of
           a secret of several values, where there is no next one, to the first of them
All read DATABASE_URL, backup and restore KAFKA_BROKERS, KAFKA_TLS and KAFKA_SASL_*, reconcile STORAGE_URL.`;

/** Throws StartError, which says what is right. */
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
    throw new StartError(`${messageOf(error)}\n${USAGE}`);
  }
}

function parseBackup(args: readonly string[], workingDir: string, now: Date): OperationsCommand {
  if (!args.includes('--into')) {
    return { kind: 'backup', folder: resolve(workingDir, read(args, {}, 1).positionals[0] ?? '') };
  }
  const { values } = parseArgs({
    args: [...args],
    options: { into: { type: 'string' }, keep: { type: 'string' } },
  });
  const { into = '', keep = '' } = values;
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
  throw new Error(positionals === 0 ? 'nothing else is understood' : 'name one folder or service');
}
