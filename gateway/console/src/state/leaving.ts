/**
 * Asks before leaving a page ends its work. The browser asks before the tab is closed or another document loads; within
 * the console the page asks itself.
 */
import { askBeforeSteps } from './location.ts';
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

let release: (() => void) | undefined;
let work: Work | undefined;

/** Asks before the page is left, in place of an earlier hold. Ends when the returned function is called, or when the user leaves. */
export function holdPage(held: Work): () => void {
  release?.();
  const endSteps = askBeforeSteps(leavePage);
  const end = () => {
    if (release !== end) return;
    release = undefined;
    work = undefined;
    endSteps();
    removeEventListener('beforeunload', refuse);
    document.removeEventListener('click', askBeforeLink, true);
    leaveQuestion.set(undefined);
  };
  work = held;
  release = end;
  addEventListener('beforeunload', refuse);
  document.addEventListener('click', askBeforeLink, true);
  return end;
}

/** Goes at once if nothing is held, and otherwise when the user agrees. */
export function leavePage(go: () => void): void {
  if (work === undefined) {
    go();
    return;
  }
  leaveQuestion.set({
    ...work,
    leave() {
      release?.();
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
  leavePage(() => link.click());
}

function leadsAway(link: HTMLAnchorElement, { ctrlKey, metaKey, shiftKey, altKey }: MouseEvent): boolean {
  if (ctrlKey || metaKey || shiftKey || altKey || link.hasAttribute('download') || link.target !== '')
    return false;
  return link.href.replace(/#.*$/, '') !== location.href.replace(/#.*$/, '');
}
