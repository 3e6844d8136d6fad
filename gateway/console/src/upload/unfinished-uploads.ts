/**
 * Files on their way that are no job yet. This browser keeps them for as long as their links last, so that the same file goes
 * on where it broke off, also after the page was closed.
 */
import { ownAddress } from '../api/own-address.ts';
import { holderNow } from '../state/session.ts';
import { createStore } from '../state/store.ts';

export interface UploadLink {
  readonly uploadUrl: string;
  readonly expiresAt: string;
}

export interface UnfinishedUpload {
  /** Of the file, and of the account that sends it. */
  readonly key: string;
  readonly fileName: string;
  readonly uploadUrl: string;
}

const PREFIX = 'audiosplit.upload.';

/** Of the account that the page belongs to. */
export const unfinishedUploads = createStore<readonly UnfinishedUpload[]>(
  keysOfAll().flatMap((key) => read(key, localStorage.getItem(key))),
);

addEventListener('storage', ({ key, newValue }) => {
  if (key?.startsWith(PREFIX)) show(key, newValue);
});

export function keyOf({ name, size, lastModified }: File): string {
  return `${PREFIX}${JSON.stringify([holderNow(), name, size, lastModified])}`;
}

export function findUnfinished(key: string): UnfinishedUpload | undefined {
  return unfinishedUploads.get().find((each) => each.key === key);
}

export function keepUnfinished(key: string, { uploadUrl, expiresAt }: UploadLink): void {
  const value = JSON.stringify({ uploadUrl, expiresAt });
  localStorage.setItem(key, value);
  show(key, value);
}

export function forgetUnfinished(key: string): void {
  localStorage.removeItem(key);
  show(key, null);
}

/** Signing out leaves no links behind. */
export function forgetAllUnfinished(): void {
  for (const key of keysOfAll()) localStorage.removeItem(key);
  unfinishedUploads.set([]);
}

/** Removes what has arrived, which would count against the account for a day. Nothing depends on its success. */
export function giveUpUpload(uploadUrl: string): void {
  const headers = { 'tus-resumable': '1.0.0' };
  fetch(ownAddress(uploadUrl), { method: 'DELETE', headers, keepalive: true }).catch(() => undefined);
}

function show(key: string, value: string | null): void {
  const others = unfinishedUploads.get().filter((each) => each.key !== key);
  unfinishedUploads.set([...others, ...read(key, value)]);
}

/** Nothing if it has ended, or is another account's. */
function read(key: string, value: string | null): UnfinishedUpload[] {
  if (value === null) return [];
  const { uploadUrl, expiresAt }: UploadLink = JSON.parse(value);
  const [holder, fileName] = JSON.parse(key.slice(PREFIX.length));
  if (Date.parse(expiresAt) > Date.now()) return holder === holderNow() ? [{ key, fileName, uploadUrl }] : [];
  localStorage.removeItem(key);
  return [];
}

function keysOfAll(): string[] {
  return Object.keys(localStorage).filter((key) => key.startsWith(PREFIX));
}
