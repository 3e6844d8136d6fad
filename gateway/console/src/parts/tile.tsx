import type { ComponentChildren } from 'preact';

interface TileProps {
  readonly title: string;
  readonly value: string;
  readonly note: ComponentChildren;
  /** Whether it needs attention. */
  readonly isBad?: boolean;
}

/** One figure, large. */
export function Tile({ title, value, note, isBad = false }: TileProps) {
  return (
    <div class={isBad ? 'card tile tile-bad' : 'card tile'}>
      <h2>{title}</h2>
      <p class="tile-value">{value}</p>
      <p class="hint">{note}</p>
    </div>
  );
}
