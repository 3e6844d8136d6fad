/** Replicas over time: a row for each change. */
import { COMPONENTS } from '../../deploy/kubernetes/components.ts';
import { markdownTable } from '../harness/command/markdown-table.ts';

export interface Sample {
  readonly atMs: number;
  readonly step: string;
  /** By component: the number of ready and of desired pods. */
  readonly replicas: Readonly<Record<string, { readonly ready: number; readonly wanted: number }>>;
  /** The number of messages that no splitter has begun; undefined if unknown. */
  readonly backlog?: number;
}

/** The samples that differ from the one before, and the last one. */
export function changes(samples: readonly Sample[]): readonly Sample[] {
  return samples.filter((sample, index) => {
    const previous = samples[index - 1];
    return previous === undefined || index === samples.length - 1 || cells(sample) !== cells(previous);
  });
}

/** Markdown. `ready`, or `ready/wanted` if they differ. */
export function renderTimeline(samples: readonly Sample[]): string {
  const rows = changes(samples).map((sample) => [
    formatSeconds(sample.atMs),
    sample.step,
    ...COMPONENTS.map((component) => cell(sample, component)),
    sample.backlog === undefined ? '' : String(sample.backlog),
  ]);
  return markdownTable(['time', 'step', ...COMPONENTS, 'backlog'], rows, () => 'text');
}

function cells(sample: Sample): string {
  return [sample.step, ...COMPONENTS.map((component) => cell(sample, component)), sample.backlog].join();
}

function cell({ replicas }: Sample, component: string): string {
  const found = replicas[component];
  if (found === undefined) return '';
  return found.ready === found.wanted ? String(found.ready) : `${found.ready}/${found.wanted}`;
}

function formatSeconds(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
