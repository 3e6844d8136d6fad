/** The attacks that an exploited ffmpeg could try, run in an image of the splitter. */
import { attemptsScript, breachesOf } from '../../clients/engine/suites/sandbox/attempts.ts';
import type { AttemptReport } from '../../clients/engine/suites/sandbox/try-attempts.ts';
import { ENGINE_OF_IMAGE, type RunInImage, reportOfImage } from './script-in-image.ts';

/** Throws with the attempts that should have failed but succeeded; resolves with all attempts. */
export async function tryAttemptsInImage(folder: string, run: RunInImage): Promise<string> {
  const script = await attemptsScript('static', { ...ENGINE_OF_IMAGE, folder, hasControl: false });
  const report: AttemptReport = await reportOfImage(script, run);
  const breaches = breachesOf('static', report);
  if (breaches.length > 0) throw new Error(`the sandbox does not hold: ${breaches.join('; ')}`);
  const countOf = (outcome: string) => report.outcomes.filter(({ confined }) => confined === outcome).length;
  return `the level is ${report.level}; of ${report.outcomes.length} attempts, ${countOf('refused')} were refused and ${countOf('killed')} killed`;
}
