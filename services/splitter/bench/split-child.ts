/**
 * Runs one split in a process of its own, so that its memory is its own as well: the request comes as JSON
 * in the first argument, a `ChildReport` goes to stdout. The time is the split's; that of starting Node, which
 * a service pays once, stays out of it.
 */
import { runSplit, type SplitOutcome, type SplitRequest } from './split-run.ts';

export interface ChildReport extends SplitOutcome {
  /** What Node and the loaded code take; sources are stripped of their types here, builds are not. */
  readonly idleRssBytes: number;
  readonly peakRssBytes: number;
}

const request = JSON.parse(process.argv[2] ?? '') as SplitRequest;
const idleRssBytes = peakRss();
const outcome = await runSplit(request);
const report: ChildReport = { ...outcome, idleRssBytes, peakRssBytes: peakRss() };
process.stdout.write(JSON.stringify(report));

/** Node gives it in KiB on every platform. */
function peakRss(): number {
  return process.resourceUsage().maxRSS * 1024;
}
