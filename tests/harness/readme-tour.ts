/**
 * The commands of README and of docs/guide/tour.md: each shell block after a line `<!-- tour -->`. They run
 * in order in one bash, as if pasted one after another.
 */
const BLOCK = /^<!-- tour -->\n```(?:sh|bash|shell)\n([\s\S]*?)^```$/gm;
const MARK = '@@tour';

export function extractTour(readme: string): readonly string[] {
  return [...readme.matchAll(BLOCK)].map(([, commands = '']) => commands);
}

/** After each block, a line with its exit status is written to both outputs to separate them. */
export function tourScript(blocks: readonly string[]): string {
  return blocks
    .map((block) => `${block}\nstatus=$?; echo; echo "${MARK} $status"; echo "${MARK}" >&2\n`)
    .join('\n');
}

export interface TourStep {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

export function readTourSteps(stdout: string, stderr: string): readonly TourStep[] {
  const complaints = stderr.split(`${MARK}\n`);
  const ends = [...stdout.matchAll(new RegExp(`\\n${MARK} (\\d+)\\n`, 'g'))];
  return ends.map((end, position) => {
    const previous = ends[position - 1];
    const from = previous === undefined ? 0 : previous.index + previous[0].length;
    return {
      status: Number(end[1]),
      stdout: stdout.slice(from, end.index),
      stderr: complaints[position] ?? '',
    };
  });
}
