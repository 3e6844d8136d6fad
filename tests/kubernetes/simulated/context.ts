import type { KubernetesApi } from '../../../deploy/kubernetes/api.ts';
import type { Release } from '../release.ts';
import type { Sample } from '../timeline.ts';
import type { ReadyWatch } from './ready-watch.ts';

export interface SimulatedContext {
  readonly api: KubernetesApi;
  readonly release: Release;
  readonly samples: readonly Sample[];
  readonly ready: ReadyWatch;
  /** What images are installed by, and another name: nobody pulls either. */
  readonly tag: string;
  readonly otherTag: string;
  /** What was in the namespace before the release. */
  readonly before: ReadonlySet<string>;
  readonly signal: AbortSignal;
}
