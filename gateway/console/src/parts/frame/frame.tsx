import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Announcer } from '../announcer.tsx';
import { Icon } from '../icons.tsx';
import { Link } from '../link.tsx';
import { Brand } from './brand.tsx';
import { ThemeSwitch } from './theme-switch.tsx';

interface FrameProps {
  readonly path: string;
  readonly places: readonly { readonly to: string; readonly label: string }[];
  /** Where the brand leads to, in words. */
  readonly home: string;
  /** Further links beside the places. */
  readonly more?: ComponentChildren;
  readonly who: ComponentChildren;
  /** At the foot of the header, on every page. */
  readonly below?: ComponentChildren;
  readonly onSignOut: () => void;
  readonly children: ComponentChildren;
}

/** The frame of every page of a signed-in user. */
export function Frame({ path, places, home, more, who, below, onSignOut, children }: FrameProps) {
  const isAt = (to: string) => (to === '/' ? path === '/' : path.startsWith(to));
  const nav = useRef<HTMLElement>(null);
  // On a narrow window the pages are a strip that is wider than it.
  useEffect(() => {
    const show = () =>
      nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    show();
    addEventListener('resize', show);
    return () => removeEventListener('resize', show);
  }, [path]);
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header class="top">
        <div class="top-inner">
          <Link to="/" class="top-brand" aria-label={`audiosplit, ${home}`}>
            <Brand />
          </Link>
          <nav ref={nav} class="top-nav" aria-label="Pages">
            {places.map(({ to, label }) => (
              <Link key={to} to={to} aria-current={isAt(to) ? 'page' : undefined}>
                {label}
              </Link>
            ))}
            {more}
          </nav>
          <div class="top-account">
            {who}
            <ThemeSwitch />
            <button
              type="button"
              class="button button-quiet button-icon"
              onClick={onSignOut}
              aria-label="Sign out"
              title="Sign out"
            >
              <Icon name="out" />
            </button>
          </div>
        </div>
        {below}
      </header>
      <main id="main">{children}</main>
      <Announcer />
    </>
  );
}
