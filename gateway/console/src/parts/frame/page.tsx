import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';

interface PageProps {
  readonly title: string;
  /** Where the heading says more than the tab. */
  readonly heading?: ComponentChildren;
  readonly lead?: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

let isFirst = true;

/** A page has one heading, which takes the focus when one has come here from another. */
export function Page({ title, heading = title, lead, actions, children }: PageProps) {
  const top = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    if (!isFirst) top.current?.focus({ preventScroll: true });
    isFirst = false;
  }, []);
  useEffect(() => {
    document.title = `${title} · audiosplit`;
  }, [title]);
  return (
    <div class="page">
      <div class="page-head">
        <div class="page-title">
          <h1 ref={top} tabIndex={-1}>
            {heading}
          </h1>
          {lead !== undefined && <div class="lead">{lead}</div>}
        </div>
        {actions !== undefined && <div class="page-actions">{actions}</div>}
      </div>
      {children}
    </div>
  );
}
