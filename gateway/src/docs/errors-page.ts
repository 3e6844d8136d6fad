/** Writes docs/reference/errors.md: every error code, its cause and its remedy. */
import { fileURLToPath } from 'node:url';
import { STATUS_OF_CODE } from '../http/errors/error-codes.ts';
import { ERROR_CODES, ERROR_GUIDE, type ErrorText, JOB_ERROR_GUIDE } from '../http/errors/error-guide.ts';

export const ERRORS_PAGE = fileURLToPath(new URL('../../../docs/reference/errors.md', import.meta.url));

export function renderErrorsPage(): string {
  const answers = ERROR_CODES.map((code) =>
    row([`${STATUS_OF_CODE[code]}`, `\`${code}\``], ERROR_GUIDE[code]),
  );
  const failures = Object.entries(JOB_ERROR_GUIDE).map(([code, text]) => row([`\`${code}\``], text));
  return `# Error codes

<!-- Generated from the codes by \`npm run generate -- errors\`; \`npm test\` fails when it is out of date. -->

Every refusal is JSON of one shape. \`code\` is for programs and stays what it is; \`message\` is for people, says
what to change in this very case, and may be reworded. \`status\` repeats the HTTP status. \`retryAfter\` comes with
\`RATE_LIMITED\` only; \`details\` comes with \`INVALID_PARAMS\` where fields are to blame. The header \`X-Request-Id\`
names the request in our logs.

\`\`\`json output
{
  "error": {
    "code": "INVALID_PARAMS",
    "message": "segmentDuration: must be at least 1",
    "status": 400,
    "details": [{ "field": "segmentDuration", "message": "must be at least 1" }]
  }
}
\`\`\`

## Answers to a request

| Status | Code | When it comes | What to change |
|---|---|---|---|
${answers.join('\n')}

## Jobs that failed

Found in \`error.code\` of a job whose status is \`failed\`, when it is read, in its last event and in the notification
\`split.failed\`. The request that reads it is answered with 200.

| Code | When it comes | What to change |
|---|---|---|
${failures.join('\n')}
`;
}

function row(cells: readonly string[], { when, remedy }: ErrorText): string {
  return `| ${[...cells, when, remedy].join(' | ')} |`;
}
