import { createStore } from './store.ts';

/** A message for screen readers, also shown for a moment. */
interface Announcement {
  readonly text: string;
  readonly isVisible: boolean;
}

const SHOWN_MS = 4_000;
let timer: number | undefined;

export const announcement = createStore<Announcement>({ text: '', isVisible: false });

/** Announces what is already visible, for screen readers only. */
export function tell(text: string): void {
  announcement.set({ text, isVisible: false });
}

export function announce(text: string): void {
  announcement.set({ text, isVisible: true });
  clearTimeout(timer);
  timer = window.setTimeout(() => announcement.set({ text, isVisible: false }), SHOWN_MS);
}
