/** The operator commands on an installation's data: backup, restore, reconcile, reseal. */
import { readKafkaConnection } from '@audiosplit/chassis/event-bus/kafka/connection';
import { openObjectStore, readStorageLocation } from '@audiosplit/chassis/object-store/storage-url';
import type { Env } from '@audiosplit/chassis/process/env';
import { readDatabaseUrl } from '@audiosplit/chassis/process/process-config';
import { isSet, readSetting } from '@audiosplit/chassis/process/settings';
import { secretValues } from '@audiosplit/chassis/secrets/secret-values';
import { makeBackup } from './backup.ts';
import { dropOldBackups } from './backup-series.ts';
import { parseOperationsCommand } from './command-line.ts';
import type { BackupManifest } from './manifest.ts';
import { type Reconciliation, reconcileObjects } from './reconcile-objects.ts';
import { reseal } from './reseal.ts';
import { restoreBackup, settleArchived } from './restore.ts';
import { STORED_SECRET } from './settings.ts';

const MAX_NAMED = 20;
type Write = (text: string) => void;

/** Throws StartError and ConfigError. */
export async function runDataCommand(args: readonly string[], env: Env, writeText: Write): Promise<void> {
  const write = (line: string) => writeText(`${line}\n`);
  const command = parseOperationsCommand(args, process.cwd(), new Date());
  const databaseUrl = readDatabaseUrl(env);
  switch (command.kind) {
    case 'backup': {
      const kafka = readKafkaConnection(env);
      const manifest = await makeBackup({ databaseUrl, kafka, folder: command.folder });
      write(`backed up to ${command.folder}: ${describe(manifest)}`);
      if (command.series === undefined) return;
      const dropped = await dropOldBackups(command.series.path, command.series.keep);
      return write(`${dropped.length} older backups removed${dropped.map((name) => `\n  ${name}`).join('')}`);
    }
    case 'restore': {
      const kafka = readKafkaConnection(env);
      const { folder, replace } = command;
      const manifest = await restoreBackup({ databaseUrl, kafka, folder, replace });
      return write(`restored: ${describe(manifest)}\nnext: npm run operate -- reconcile`);
    }
    case 'settle-archived': {
      await settleArchived({ databaseUrl, kafka: readKafkaConnection(env) });
      return write("the bus continues at the topics' present ends\nnext: npm run operate -- reconcile");
    }
    case 'reconcile': {
      await using store = await openObjectStore(readStorageLocation(env));
      const { apply, all } = command;
      const found = await reconcileObjects({ databaseUrl, store, apply });
      return report(found, apply, all ? Number.POSITIVE_INFINITY : MAX_NAMED, write);
    }
    case 'reseal': {
      const variable = `${command.service.toUpperCase()}_SECRET`;
      const present = readSetting(variable, STORED_SECRET, env);
      // While a secret is being replaced, its variable contains the new value before the old one.
      const isFirst = !isSet(env, `${variable}_NEXT`) && secretValues(present).length > 1;
      const count = await reseal({
        databaseUrl,
        service: command.service,
        secret: present,
        nextSecret: isFirst ? present : readSetting(`${variable}_NEXT`, STORED_SECRET, env),
      });
      const next = isFirst ? `the first value of ${variable}` : `${variable}_NEXT`;
      return write(`${count} values are resealed: give ${command.service} ${next} alone as ${variable}`);
    }
    default:
      command satisfies never;
  }
}

function describe({ takenAt, rows, inFlightEvents }: BackupManifest): string {
  const total = Object.values(rows).reduce((sum, count) => sum + count, 0);
  return `as of ${takenAt}, ${Object.keys(rows).length} tables, ${total} rows, ${inFlightEvents} events in flight`;
}

function report(found: Reconciliation, applied: boolean, maxNamed: number, write: Write): void {
  const { objects, segments, jobsWithLosses, unknownJobs, missingInvoices } = found;
  write(`${segments} segments, ${objects} objects of jobs`);
  const list = (what: string, names: readonly string[]) => {
    const shown = names.slice(0, maxNamed).map((name) => `\n  ${name}`);
    write(
      `${names.length} ${what}${shown.join('')}${names.length > maxNamed ? '\n  … (--all names them)' : ''}`,
    );
  };
  list(
    `jobs that lack segments`,
    [...jobsWithLosses].map(([jobId, count]) => `${jobId} (${count})`),
  );
  list(`unknown jobs with objects${applied ? ', which go in a week' : ''}`, unknownJobs);
  list(`invoices without their PDF${applied ? ', which are drawn again' : ''}`, missingInvoices);
}
