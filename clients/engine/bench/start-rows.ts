/** What the sandbox adds to the start of a process. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median } from '@audiosplit/chassis/testing/latency';
import { findSandbox } from '../src/sandbox/find-sandbox.ts';
import { sandboxedCommand } from '../src/sandbox/sandbox.ts';
import type { Bench, Row } from './measure.ts';

const STARTS = 500;
const WARM_UP_STARTS = 20;
const GOAL_MS = 0.5;
const LIMITS = { cpuSeconds: 10, fileSizeBytes: 1_000_000 };

/** Of the launcher itself, which ends at once: what ffmpeg needs to load would drown the difference. */
export async function measureStarts({ tools, progress }: Bench): Promise<readonly Row[]> {
  const sandbox = await findSandbox(tools.engineFfmpeg);
  const { launcher } = sandbox;
  if (launcher === undefined) throw new Error(`this host has no sandbox: ${sandbox.shortfall}`);
  await using folder = await mkdtempDisposable(join(tmpdir(), 'audiosplit-starts-'));
  const writes = join(folder.path, 'output');
  const plain = [launcher.path, '--try=environ'] as const;
  const confined = sandboxedCommand(sandbox, { command: plain, limits: LIMITS, writes });
  const times = { plain: [] as number[], confined: [] as number[] };
  for (let start = 0; start < WARM_UP_STARTS + STARTS; start += 1) {
    const [plainMs, confinedMs] = [await timeStart(plain), await timeStart(confined)];
    if (start < WARM_UP_STARTS) continue;
    times.plain.push(plainMs);
    times.confined.push(confinedMs);
  }
  const [plainMs, confinedMs] = [median(times.plain), median(times.confined)];
  const costMs = confinedMs - plainMs;
  progress(`${STARTS} starts: plain ${plainMs.toFixed(3)} ms, confined ${confinedMs.toFixed(3)} ms`);
  return [
    {
      measure: `start in the sandbox (${sandbox.level})`,
      engine: `${confinedMs.toFixed(2)} ms`,
      reference: `plain spawn ${plainMs.toFixed(2)} ms`,
      result: `+${costMs.toFixed(2)} ms`,
      goal: `≤ +${GOAL_MS} ms`,
      isMet: costMs <= GOAL_MS,
    },
  ];
}

async function timeStart([command, ...args]: readonly [string, ...string[]]): Promise<number> {
  const start = performance.now();
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe', 'pipe'], detached: true, env: {} });
  await once(child, 'close');
  return performance.now() - start;
}
