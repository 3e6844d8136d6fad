import type { Batch } from '../../api/client.ts';

/** How many of its jobs have ended, and how. */
export function BatchProgress({ batch }: { readonly batch: Batch }) {
  const { total, completed, failed, canceled } = batch;
  const ended = completed + failed + canceled;
  const words = wordsOf(batch);
  const partOf = (count: number) => ({ width: `${(100 * count) / total}%` });
  return (
    <section class="card batch-progress" aria-label="Progress">
      <p class="number">{words}</p>
      <div
        class="progress"
        role="progressbar"
        aria-label="Progress of the batch"
        aria-valuemin={0}
        aria-valuemax={total}
        aria-valuenow={ended}
        aria-valuetext={words}
      >
        <span style={partOf(completed)} />
        <span class="batch-failed" style={partOf(failed)} />
        <span class="batch-canceled" style={partOf(canceled)} />
      </div>
    </section>
  );
}

function wordsOf({ total, queued, processing, completed, failed, canceled }: Batch): string {
  const done = `${completed.toLocaleString('en')} of ${total.toLocaleString('en')} completed`;
  const others = Object.entries({ failed, canceled, running: processing, waiting: queued })
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${count.toLocaleString('en')} ${name}`);
  return [done, ...others].join(', ');
}
