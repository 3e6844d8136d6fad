/** The attempts of an exploited ffmpeg, within an image of the splitter. */
import {
  attemptsScript,
  breachesOf,
  FLAGS,
  parseReport,
} from '../../clients/engine/suites/sandbox/attempts.ts';

const NODE = '/usr/local/bin/node';

/**
 * `run` runs a command in the container with this stdin, and resolves with its stdout; `folder` is one of the container in
 * which programs may be written and executed. Throws with what should not have succeeded; resolves with what was tried.
 */
export async function tryAttemptsInImage(
  folder: string,
  run: (command: readonly [string, ...string[]], stdin: string) => Promise<string>,
): Promise<string> {
  const modules = '/app/clients/engine/dist';
  const script = await attemptsScript({ modules, extension: '.js', folder, hasControl: false });
  const report = parseReport(await run([NODE, ...FLAGS], script));
  const breaches = breachesOf(report);
  if (breaches.length > 0) throw new Error(`the sandbox does not hold: ${breaches.join('; ')}`);
  const countOf = (outcome: string) => report.outcomes.filter(({ confined }) => confined === outcome).length;
  return `the level is ${report.level}; of ${report.outcomes.length} attempts, ${countOf('refused')} were refused and ${countOf('killed')} killed`;
}
