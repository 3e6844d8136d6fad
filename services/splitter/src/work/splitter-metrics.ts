import { SANDBOX_LEVELS, type Sandbox } from '@audiosplit/engine/sandbox/sandbox';
import { expose } from '../metrics.ts';
import type { ScratchBudget } from './scratch-budget.ts';
import { freeScratchBytes } from './scratch-space.ts';
import type { AccountPlaces } from './shares/account-places.ts';
import type { Worker } from './worker.ts';

interface SplitterMetricsOptions {
  readonly shares: Worker['shares'];
  readonly slots: number;
  readonly fetches: number;
  readonly transfers: AccountPlaces;
  readonly scratchDir: string;
  readonly scratchBudget: ScratchBudget;
  readonly sandbox: Sandbox;
}

/** Exposes the splitter's resources until it is disposed of. */
export function exposeSplitter(options: SplitterMetricsOptions): Disposable {
  const { shares, slots, fetches, transfers, scratchDir, scratchBudget, sandbox } = options;
  using exposed = new DisposableStack();
  exposed.use(expose('audiosplit_splitter_slots', () => [{ labels: {}, value: slots }]));
  exposed.use(expose('audiosplit_splitter_slots_busy', () => [{ labels: {}, value: shares.cores.busy() }]));
  exposed.use(
    expose('audiosplit_splitter_slots_waiting', () => [{ labels: {}, value: shares.cores.waiting() }]),
  );
  exposed.use(expose('audiosplit_splitter_fetches_limit', () => [{ labels: {}, value: fetches }]));
  exposed.use(expose('audiosplit_splitter_fetches', () => [{ labels: {}, value: shares.fetches.taken() }]));
  exposed.use(
    expose('audiosplit_splitter_bucket_transfers', () => [{ labels: {}, value: transfers.taken() }]),
  );
  exposed.use(
    expose('audiosplit_splitter_fetches_waiting', () => [{ labels: {}, value: shares.fetches.waiting() }]),
  );
  exposed.use(
    expose('audiosplit_decoder_sandbox', () =>
      SANDBOX_LEVELS.map((level) => ({ labels: { level }, value: Number(level === sandbox.level) })),
    ),
  );
  exposed.use(
    expose('audiosplit_splitter_scratch_free_bytes', async () => [
      { labels: {}, value: await freeScratchBytes(scratchDir) },
    ]),
  );
  exposed.use(
    expose('audiosplit_splitter_scratch_limit_bytes', () => [
      { labels: {}, value: scratchBudget.limitBytes },
    ]),
  );
  exposed.use(
    expose('audiosplit_splitter_scratch_reserved_bytes', () => [
      { labels: {}, value: scratchBudget.reservedBytes() },
    ]),
  );
  exposed.use(
    expose('audiosplit_splitter_scratch_waiting', () => [{ labels: {}, value: scratchBudget.waiting() }]),
  );
  return exposed.move();
}
