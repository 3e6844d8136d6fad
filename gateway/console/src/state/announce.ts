import { createStore } from './store.ts';

/** What a screen reader is told, and everybody sees for a moment. */
export interface Announcement {
  readonly text: string;
  readonly isVisible: boolean;
}

const SHOWN_MS = 4_000;
let timer: number | undefined;

export const announcement = createStore<Announcement>({ text: '', isVisible: false });

/** For those who hear the page: what the others see anyway. */
export function tell(text: string): void {
  announcement.set({ text, isVisible: false });
}

export function announce(text: string): void {
  announcement.set({ text, isVisible: true });
  clearTimeout(timer);
  timer = window.setTimeout(() => announcement.set({ text, isVisible: false }), SHOWN_MS);
}
