/**
 * Sources of which a batch has no job, and why. The service keeps none of them, so the browser does, for as long as the tab
 * is open. Credentials in them are left out.
 */
export interface RefusedSource {
  /** Counted from 1. */
  readonly place: number;
  readonly source: string;
  readonly message: string;
}

const STORED = 'audiosplit.refused-sources';
const MAX_BATCHES = 20;
const MAX_LENGTH = 200;

export function keepRefused(
  batchId: string,
  sources: readonly string[],
  refused: readonly { readonly index: number; readonly message: string }[],
): void {
  if (refused.length === 0) return;
  const kept = refused.map(({ index, message }) => ({
    place: index + 1,
    source: withoutSecrets(sources[index] ?? ''),
    message,
  }));
  const others = Object.entries(stored()).slice(1 - MAX_BATCHES);
  sessionStorage.setItem(STORED, JSON.stringify(Object.fromEntries([...others, [batchId, kept]])));
}

export function refusedOf(batchId: string): readonly RefusedSource[] {
  return stored()[batchId] ?? [];
}

/** They belong to one account. */
export function forgetRefused(): void {
  sessionStorage.removeItem(STORED);
}

function stored(): Record<string, readonly RefusedSource[]> {
  return JSON.parse(sessionStorage.getItem(STORED) ?? '{}');
}

function withoutSecrets(source: string): string {
  return source
    .replace(/\?.*$/s, '?…')
    .replace(/\/\/[^/]*@/, '//')
    .slice(0, MAX_LENGTH);
}
