import { literal, type Notation } from './literal.ts';
import type { SampleRequest } from './sample-request.ts';

const VARIABLE = /\$([A-Z_]+)/g;
const ONE_VARIABLE = /^\$([A-Z_]+)$/;

const NOTATION: Notation = {
  text(text) {
    const [, only] = ONE_VARIABLE.exec(text) ?? [];
    if (only !== undefined) return `environ["${only}"]`;
    if (text.includes('$')) return `f"${text.replaceAll(VARIABLE, (_, name) => `{environ['${name}']}`)}"`;
    return JSON.stringify(text);
  },
  name: (name) => JSON.stringify(name),
  word: (value) => (value === null ? 'None' : value ? 'True' : 'False'),
  indent: '    ',
};

/** For Python 3, without a package. */
export function pythonSample({ method, url, headers, body, answer }: SampleRequest): string {
  const isJson = (body !== undefined && 'json' in body) || answer === 'json';
  const hasHeaders = Object.keys(headers).length > 0;
  const data =
    body === undefined
      ? []
      : 'fileName' in body
        ? [`data=open("${body.fileName}", "rb").read()`]
        : ['data=json.dumps(body).encode()'];
  const call = [
    NOTATION.text(url),
    ...data,
    ...(hasHeaders ? ['headers=headers'] : []),
    ...(method === 'GET' ? [] : [`method="${method}"`]),
  ];
  return [
    ...(isJson ? ['import json'] : []),
    'from os import environ',
    'from urllib.request import Request, urlopen',
    '',
    ...(hasHeaders ? [`headers = ${literal(headers, NOTATION)}`] : []),
    ...(body !== undefined && 'json' in body ? [`body = ${literal(body.json, NOTATION)}`] : []),
    `request = Request(\n${call.map((each) => `    ${each},\n`).join('')})`,
    'with urlopen(request) as response:',
    ...printed(answer).map((line) => `    ${line}`),
  ].join('\n');
}

function printed(answer: SampleRequest['answer']): readonly string[] {
  switch (answer) {
    case 'headers':
      return ['print(response.headers)'];
    case 'json':
      return ['print(json.load(response))'];
    case 'nothing':
      return ['print(response.status)'];
    case 'stream':
      return ['for line in response:', '    print(line.decode(), end="")'];
    default:
      return [`open("${answer.fileName}", "wb").write(response.read())`];
  }
}
