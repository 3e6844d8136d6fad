/**
 * Runs one split in a process of its own, so that its memory is its own as well: a `ChildRequest` comes as JSON
 * in the first argument, a `ChildReport` goes to stdout. The time is the split's: starting Node and splitting a
 * few seconds once, which a service has behind it, stay out of it.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cpuSeconds } from './cpu-time.ts';
import { runSplit, type SplitOutcome, type SplitRequest } from './split-run.ts';

export interface ChildRequest extends SplitRequest {
  /** A short source of the same kind. */
  readonly warmUpPath: string;
}

export interface ChildReport extends SplitOutcome {
  /** What Node and the loaded code take. */
  readonly idleRssBytes: number;
  readonly peakRssBytes: number;
  /** That the split took, ffmpeg's included. */
  readonly cpuSeconds: number;
}

const { warmUpPath, ...request } = JSON.parse(process.argv[2] ?? '') as ChildRequest;
const idleRssBytes = peakRss();
const warmUpDir = await mkdtemp(join(request.outputDir, 'warm-up-'));
const { downloadSeconds: _, ...unpaced } = request;
const warmUpCut = { mode: 'duration', segmentDurationSeconds: 1 } as const;
await runSplit({ ...unpaced, sourcePath: warmUpPath, outputDir: warmUpDir, cut: warmUpCut });
await rm(warmUpDir, { recursive: true });
const cpuSecondsBefore = cpuSeconds();
const outcome = await runSplit(request);
const report: ChildReport = {
  ...outcome,
  idleRssBytes,
  peakRssBytes: peakRss(),
  cpuSeconds: cpuSeconds() - cpuSecondsBefore,
};
process.stdout.write(JSON.stringify(report));

/** Node gives it in KiB on every platform. */
function peakRss(): number {
  return process.resourceUsage().maxRSS * 1024;
}
