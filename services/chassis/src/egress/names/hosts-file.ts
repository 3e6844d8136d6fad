import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';

/** hosts(5): addresses by name. */
export function parseHosts(text: string): ReadonlyMap<string, readonly string[]> {
  const addressesOf = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    if (isIP(address) === 0) continue;
    for (const name of names) addressesOf.getOrInsertComputed(name.toLowerCase(), () => []).push(address);
  }
  return addressesOf;
}

/** Reads a file again after a minimum interval. A file that cannot be read counts as empty. */
export function createFileReader<T>(
  path: string,
  parse: (text: string) => T,
  { nowMs, rereadMs = 5_000 }: { readonly nowMs: () => number; readonly rereadMs?: number },
): () => Promise<T> {
  let read: { readonly atMs: number; readonly content: Promise<T> } | undefined;
  return () => {
    if (read === undefined || nowMs() - read.atMs >= rereadMs) {
      const content = readFile(path, 'utf8').then(parse, () => parse(''));
      read = { atMs: nowMs(), content };
    }
    return read.content;
  };
}
