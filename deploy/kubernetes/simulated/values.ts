/**
 * Values on top of the chart's `ci/ha-values.yaml`, the one set that makes a must of zones: what a cluster lacks that has neither
 * custom resources nor clients, and the HPAs of gateways and splitters small and quick.
 */
import type { Played } from './played-metrics.ts';

export const FEWEST_SCALED = 3;
export const MOST_SCALED = 6;
export const BACKLOG_PER_SPLITTER = 2;
export const BACKLOG = 'audiosplit_event_bus_lag_messages';
/** A tenth of what pods request, and nothing waits. */
export const IDLE: Played = { external: { [BACKLOG]: 0 }, cpuPercent: { '*': 10 } };

export function valuesForSimulation() {
  const autoscaling = {
    enabled: true,
    minReplicas: FEWEST_SCALED,
    maxReplicas: MOST_SCALED,
    scaleDownAfterSeconds: 30,
  };
  return {
    httpRoute: { enabled: false },
    monitoring: { scrapeBy: 'none' },
    drain: { graceSeconds: 20 },
    gateway: { autoscaling },
    splitter: { autoscaling: { ...autoscaling, by: 'external', backlogPerReplica: BACKLOG_PER_SPLITTER } },
  };
}
