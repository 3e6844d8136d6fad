import type { ComponentChildren } from 'preact';

interface TableProps {
  readonly columns: readonly string[];
  /** Whether there is a last column of buttons. Its heading is for screen readers only. */
  readonly hasActions?: boolean;
  /** The rows. */
  readonly children: ComponentChildren;
}

export function Table({ columns, hasActions = false, children }: TableProps) {
  return (
    <div class="card table-card">
      <table class="table">
        <thead>
          <tr>
            {columns.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
            {hasActions && (
              <th scope="col">
                <span class="visually-hidden">Actions</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
