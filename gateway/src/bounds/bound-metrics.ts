/** How full the bounds of this gateway are. */
import { BOUNDS_IN_USE, expose } from '../metrics.ts';
import type { Bounds } from './bound-settings.ts';

export type BoundInUse = (typeof BOUNDS_IN_USE)[number];

/** Of bounds for each account or address, the use of the one that uses most. Until disposed. */
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
