import type { ComponentChildren } from 'preact';
import { Announcer } from '../announcer.tsx';
import { Brand } from './brand.tsx';
import { ThemeSwitch } from './theme-switch.tsx';

/** What is around every page of somebody who has not signed in. */
export function PublicFrame({ children }: { readonly children: ComponentChildren }) {
  return (
    <div class="entry">
      <header class="entry-top">
        <Brand />
        <nav aria-label="Pages">
          <a href="/docs">Docs</a>
          <ThemeSwitch />
        </nav>
      </header>
      {children}
      <Announcer />
    </div>
  );
}
