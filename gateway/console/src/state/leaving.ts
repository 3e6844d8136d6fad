/**
 * Keeps a page from being left by mistake while it does what would end with it. The browser asks before the tab is
 * closed or another document takes its place; within the console the page asks in its own words.
 */
import { askBeforeSteps } from './location.ts';
import { createStore } from './store.ts';

/** What is said of the work that leaving would end. */
export interface Work {
  readonly title: string;
  readonly text: string;
  /** What leaving does, on its button. */
  readonly action: string;
}

/** What somebody is asked who is about to leave. */
export interface LeaveQuestion extends Work {
  leave(): void;
  stay(): void;
}

export const leaveQuestion = createStore<LeaveQuestion | undefined>(undefined);

let release: (() => void) | undefined;
let work: Work | undefined;

/** Until it is released by what it returns, or somebody leaves all the same. */
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

/** Goes at once where nothing is held, and otherwise once somebody has agreed. */
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

/** Before the link itself hears of it. */
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
