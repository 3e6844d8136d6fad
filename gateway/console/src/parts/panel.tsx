import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface PanelProps {
  readonly title: string;
  readonly lead?: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly isDangerous?: boolean;
  readonly children?: ComponentChildren;
}

/** One subject of a page that has several. */
export function Panel({ title, lead, actions, isDangerous = false, children }: PanelProps) {
  const id = useId();
  return (
    <section class={isDangerous ? 'card panel panel-danger' : 'card panel'} aria-labelledby={id}>
      <div class="panel-head">
        <div class="panel-title">
          <h2 id={id}>{title}</h2>
          {lead !== undefined && <p class="hint">{lead}</p>}
        </div>
        {actions !== undefined && <div class="row">{actions}</div>}
      </div>
      {children}
    </section>
  );
}
