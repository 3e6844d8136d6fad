import { shellWord } from '../provision/shell-word.ts';
import type { EmbeddedSystem } from './embedded-system.ts';
import type { LocalOperators } from './local-operators.ts';
import { SAMPLES_PATH, TOUR_SAMPLE } from './samples.ts';

/** Of a checkout. */
export const SPLIT_WITHOUT_SERVER =
  'Or split a file of yours in one go:  npm run split -- <file or URL> --every 60';

/** The text that a start prints once it is ready; every line can be copied unchanged. */
export function describeFirstSteps(
  {
    baseUrl,
    development,
    operators,
  }: Pick<EmbeddedSystem, 'baseUrl' | 'development'> & Partial<EmbeddedSystem>,
  seconds: number,
  lastSteps: string,
): string {
  const body = JSON.stringify({
    sourceUrl: `${baseUrl}${SAMPLES_PATH}${TOUR_SAMPLE}`,
    splitMode: 'duration',
    segmentDuration: 10,
  });
  const key = `-H ${shellWord(`X-API-Key: ${development.apiKey}`)}`;
  const splits = `${baseUrl}/api/v1/splits`;
  return `
audiosplit is ready (${seconds.toFixed(1)} s).

  Page        ${baseUrl}/
  API         ${baseUrl}/api/v1
  Docs        ${baseUrl}/docs
  Key         ${development.apiKey}   (for local development)
${operators === undefined ? '' : describeOperators(operators)}
Split the bundled sample into segments of 10 s, then look at the jobs and their download links:

  curl -sS ${shellWord(splits)} ${key} -H 'Content-Type: application/json' -d ${shellWord(body)}

  curl -sS ${shellWord(splits)} ${key}

  curl -sS ${shellWord(`${splits}/`)}'<id of the job>' ${key}

${lastSteps}
`;
}

function describeOperators({ url, credentials }: LocalOperators): string {
  const signIn =
    credentials === undefined ? '' : `   (name ${credentials.name}, secret ${credentials.secret})`;
  return `  Operators   ${url}/${signIn}\n`;
}
