/**
 * Exports: a copy of all data of an account, as one file.
 *
 *     processing ──▶ completed ──7 days──▶ expired
 *         └────────▶ failed
 */
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

export type ExportFormat = 'json' | 'csv';
export type ExportStatus = 'processing' | 'completed' | 'failed' | 'expired';

export interface Export {
  readonly id: string;
  readonly accountId: string;
  readonly status: ExportStatus;
  readonly format: ExportFormat;
  readonly webhookUrl: string | undefined;
  readonly createdAt: Date;
  readonly estimatedCompletionAt: Date;
  readonly attempts: number;
  readonly fence: number;
  readonly file: ExportFile | undefined;
  /** When the file of a completed export is removed. */
  readonly expiresAt: Date | undefined;
}

export interface ExportFile {
  readonly objectKey: string;
  readonly sizeBytes: number;
  /** In hex. */
  readonly sha256: string;
}

export const INTERVAL_MS = DAY_MS;
const KEPT_MS = 7 * DAY_MS;
/** Most take seconds. This also covers accounts with years of jobs. */
const ESTIMATE_MS = 10 * MINUTE_MS;

/** After each failed attempt. One attempt more than pauses, over a night, so that an outage can be repaired. */
const PAUSES_MS = [10_000, MINUTE_MS, 10 * MINUTE_MS, HOUR_MS, 8 * HOUR_MS];

export interface ExportRequest {
  readonly accountId: string;
  readonly format: ExportFormat;
  readonly webhookUrl: string | undefined;
}

export function beginExport(id: string, request: ExportRequest, now: Date): Export {
  return {
    id,
    ...request,
    status: 'processing',
    createdAt: now,
    estimatedCompletionAt: new Date(now.getTime() + ESTIMATE_MS),
    attempts: 0,
    fence: 0,
    file: undefined,
    expiresAt: undefined,
  };
}

export function completeExport(inProgress: Export, file: ExportFile, now: Date): Export {
  return { ...inProgress, status: 'completed', file, expiresAt: new Date(now.getTime() + KEPT_MS) };
}

export function failExport(inProgress: Export): Export {
  return { ...inProgress, status: 'failed' };
}

/** Undefined after the last attempt. */
export function nextAttemptAt({ attempts }: Export, now: Date): Date | undefined {
  const pauseMs = PAUSES_MS[attempts - 1];
  return pauseMs === undefined ? undefined : new Date(now.getTime() + pauseMs);
}

/** Covers attempts that crashed, and so never reported a failure. */
export function isOutOfAttempts({ attempts }: Export): boolean {
  return attempts > PAUSES_MS.length + 1;
}

/** The export as its holder sees it: expired from `expiresAt` on, even if its file still exists. */
export function asOf(found: Export, now: Date): Export {
  const isOver = found.status === 'completed' && found.expiresAt !== undefined && found.expiresAt <= now;
  return isOver ? { ...found, status: 'expired', file: undefined } : found;
}

/** The prefix of all exports of an account. */
export function exportsPrefixOf(accountId: string): string {
  return `accounts/${accountId}/exports/`;
}

/** The prefix of the files of all attempts at one export. */
export function objectPrefixOf({ accountId, id }: Pick<Export, 'accountId' | 'id'>): string {
  return `${exportsPrefixOf(accountId)}${id}/`;
}

/** Each attempt has its own key, so that it never touches another's file. */
export function objectKeyOf({
  createdAt,
  fence,
  ...rest
}: Pick<Export, 'accountId' | 'id' | 'createdAt' | 'fence'>) {
  return `${objectPrefixOf(rest)}${fence}/audiosplit-export-${createdAt.toISOString().slice(0, 10)}.zip`;
}
