/** The page's only player: starting a segment stops the previous one. */
import type { Segment } from '../api/client.ts';
import { ownAddress } from '../api/own-address.ts';
import { createStore } from '../state/store.ts';

export interface Playing {
  readonly jobId: string;
  readonly segment: Segment;
  readonly isPaused: boolean;
  readonly hasFailed: boolean;
}

export const playing = createStore<Playing | undefined>(undefined);
/** Seconds into the segment. A store of its own, because it changes all the time. */
export const position = createStore(0);

const audio = new Audio();
audio.preload = 'auto';

/** `from` is in seconds of the segment; else it goes on where it was. Nothing plays of a dry run, which has no files. */
export function play(jobId: string, segment: Segment, from?: number): void {
  if (segment.downloadUrl === undefined) return;
  const now = playing.get();
  if (now?.jobId !== jobId || now.segment.index !== segment.index || now.hasFailed) {
    audio.src = ownAddress(segment.downloadUrl);
    position.set(0);
  }
  if (from !== undefined) seek(from);
  playing.set({ jobId, segment, isPaused: false, hasFailed: false });
  audio.play().catch(() => update({ isPaused: true }));
}

export function pause(): void {
  audio.pause();
  update({ isPaused: true });
}

export function stop(): void {
  audio.pause();
  audio.removeAttribute('src');
  playing.set(undefined);
}

export function seek(seconds: number): void {
  audio.currentTime = seconds;
  position.set(seconds);
}

let onEnded: (() => void) | undefined;

/** Sets what runs at the end of a segment. */
export function whenEnded(next: (() => void) | undefined): void {
  onEnded = next;
}

audio.addEventListener('timeupdate', () => position.set(audio.currentTime));
audio.addEventListener('ended', () => (onEnded === undefined ? update({ isPaused: true }) : onEnded()));
audio.addEventListener('error', () => update({ isPaused: true, hasFailed: true }));

function update(change: Partial<Playing>): void {
  const now = playing.get();
  if (now !== undefined) playing.set({ ...now, ...change });
}
