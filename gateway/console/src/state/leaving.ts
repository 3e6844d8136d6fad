/**
 * Asks before the console is left while it works on something. The browser asks before the tab is closed or reloaded; the
 * page asks itself at its own links to other documents, and before a session ends.
 */
import { isPage } from './page-paths.ts';
import { createStore } from './store.ts';

/** The work that leaving would end, in words. */
export interface Work {
  readonly title: string;
  readonly text: string;
  /** Label of the button that leaves. */
  readonly action: string;
}

/** The question and both of its answers. */
interface LeaveQuestion extends Work {
  leave(): void;
  stay(): void;
}

export const leaveQuestion = createStore<LeaveQuestion | undefined>(undefined);

let work: Work | undefined;
let end = () => {};

/** Asks until this is called without work. `stop` ends the work when the user leaves. */
export function holdConsole(held: Work | undefined, stop: () => void): void {
  work = held;
  end = stop;
  if (held === undefined) {
    removeEventListener('beforeunload', refuse);
    document.removeEventListener('click', askBeforeLink, true);
    leaveQuestion.set(undefined);
    return;
  }
  addEventListener('beforeunload', refuse);
  document.addEventListener('click', askBeforeLink, true);
  const question = leaveQuestion.get();
  if (question !== undefined) leaveQuestion.set({ ...question, ...held });
}

/** Goes at once if nothing is held, and otherwise when the user agrees. */
export function leaveConsole(go: () => void): void {
  if (work === undefined) {
    go();
    return;
  }
  leaveQuestion.set({
    ...work,
    leave() {
      end();
      go();
    },
    stay: () => leaveQuestion.set(undefined),
  });
}

function refuse(event: Event): void {
  event.preventDefault();
}

/** Listens while the event is captured, which is before the link's own listener runs. */
function askBeforeLink(event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[href]') : null;
  if (link === null || !leadsAway(link, event)) return;
  event.preventDefault();
  event.stopPropagation();
  leaveConsole(() => link.click());
}

function leadsAway(link: HTMLAnchorElement, { ctrlKey, metaKey, shiftKey, altKey }: MouseEvent): boolean {
  if (ctrlKey || metaKey || shiftKey || altKey || link.hasAttribute('download') || link.target !== '')
    return false;
  return link.origin !== location.origin || !isPage(link.pathname);
}
