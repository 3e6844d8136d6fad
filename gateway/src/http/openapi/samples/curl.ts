import type { SampleRequest } from './sample-request.ts';

/** The shell expands the variables, also within the JSON document. */
export function curlSample({ method, url, headers, body, answer }: SampleRequest): string {
  const isFile = body !== undefined && 'fileName' in body;
  const options = [
    ...Object.entries(headers).map(([name, value]) => `-H "${name}: ${value}"`),
    ...(isFile ? [`-T ${body.fileName}`] : []),
    ...(typeof answer === 'object' ? [`-o ${answer.fileName}`] : []),
    ...(body !== undefined && !isFile ? ['-d @- <<JSON'] : []),
  ];
  const command = [
    'curl -sS --fail-with-body',
    ...(answer === 'headers'
      ? ['-I']
      : method === 'GET' || (isFile && method === 'PUT')
        ? []
        : [`-X ${method}`]),
    ...(answer === 'stream' ? ['-N'] : []),
    `"${url}"`,
  ].join(' ');
  const lines = [command, ...options].join(' \\\n  ');
  return body === undefined || isFile ? lines : `${lines}\n${JSON.stringify(body.json, null, 2)}\nJSON`;
}
