import { literal, type Notation } from './literal.ts';
import type { SampleRequest } from './sample-request.ts';

const VARIABLE = /\$([A-Z_]+)/g;
const ONE_VARIABLE = /^\$([A-Z_]+)$/;

const NOTATION: Notation = {
  text(text) {
    const [, only] = ONE_VARIABLE.exec(text) ?? [];
    if (only !== undefined) return only;
    if (text.includes('$')) return `\`${text.replaceAll(VARIABLE, (_, name) => `\${${name}}`)}\``;
    return `'${text.replaceAll(/[\\']/g, '\\$&')}'`;
  },
  name: (name) => (/^\w+$/.test(name) ? name : `'${name}'`),
  word: String,
  indent: '  ',
};

/** For Node.js, without a package. */
export function javascriptSample({ method, url, headers, body, answer }: SampleRequest): string {
  const json = body !== undefined && 'json' in body ? body.json : undefined;
  const variables = new Set(
    [...JSON.stringify([url, headers, json]).matchAll(VARIABLE)].map(([, name]) => name),
  );
  const sent =
    body === undefined
      ? []
      : 'fileName' in body
        ? [`body: await readFile('${body.fileName}'),`]
        : [`body: JSON.stringify(${literal(body.json, NOTATION, NOTATION.indent)}),`];
  const options = [
    ...(method === 'GET' ? [] : [`method: '${method}',`]),
    ...(Object.keys(headers).length === 0
      ? []
      : [`headers: ${literal(headers, NOTATION, NOTATION.indent)},`]),
    ...sent,
  ].map((option) => `${NOTATION.indent}${option}\n`);
  const files = [
    ...(sent.join().includes('readFile') ? ['readFile'] : []),
    ...(typeof answer === 'object' ? ['writeFile'] : []),
  ];
  return [
    ...(files.length === 0 ? [] : [`import { ${files.join(', ')} } from 'node:fs/promises';`, '']),
    `const { ${[...variables].join(', ')} } = process.env;`,
    '',
    `const response = await fetch(${NOTATION.text(url)}${options.length === 0 ? '' : `, {\n${options.join('')}}`});`,
    'if (!response.ok) throw new Error(await response.text());',
    printed(answer),
  ].join('\n');
}

function printed(answer: SampleRequest['answer']): string {
  switch (answer) {
    case 'headers':
      return 'console.log(Object.fromEntries(response.headers));';
    case 'json':
      return 'console.log(await response.json());';
    case 'nothing':
      return 'console.log(response.status);';
    case 'stream':
      return 'for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) console.log(chunk);';
    default:
      return `await writeFile('${answer.fileName}', response.body);`;
  }
}
