/** Exposes the usage of this gateway's bounds. */
import { BOUNDS_IN_USE, expose } from '../metrics.ts';
import type { Bounds } from './bound-settings.ts';

export type BoundInUse = (typeof BOUNDS_IN_USE)[number];

/** For bounds per account or address, the usage of the one that uses the most. Until disposed. */
export function exposeBounds(bounds: Bounds, used: Readonly<Record<BoundInUse, () => number>>): Disposable {
  using exposed = new DisposableStack();
  const read = (readingOf: (bound: BoundInUse) => number) => () =>
    BOUNDS_IN_USE.map((bound) => ({ labels: { bound }, value: readingOf(bound) }));
  exposed.use(
    expose(
      'audiosplit_gateway_bound_used',
      read((bound) => used[bound]()),
    ),
  );
  exposed.use(
    expose(
      'audiosplit_gateway_bound_limit',
      read((bound) => bounds[bound]),
    ),
  );
  return exposed.move();
}
