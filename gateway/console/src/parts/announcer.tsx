import { announcement } from '../state/announce.ts';
import { useStore } from '../state/store.ts';

/** Rendered from the start: screen readers only follow regions that they know. */
export function Announcer() {
  const { text, isVisible } = useStore(announcement);
  return (
    <div class={isVisible ? 'toast toast-visible' : 'toast'} role="status" aria-live="polite">
      {text}
    </div>
  );
}
