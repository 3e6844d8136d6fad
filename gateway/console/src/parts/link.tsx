import type { ComponentChildren, JSX } from 'preact';
import { navigate } from '../state/location.ts';

interface LinkProps extends Omit<JSX.IntrinsicElements['a'], 'href' | 'role'> {
  readonly to: string;
  readonly children: ComponentChildren;
}

/** To another address of the page, without loading it anew. */
export function Link({ to, children, ...rest }: LinkProps) {
  const follow = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    navigate(to);
  };
  return (
    <a {...rest} href={to} onClick={follow}>
      {children}
    </a>
  );
}
