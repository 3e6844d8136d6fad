/** The generated files of the Python client: models, a class for each error code, and the limits of speech-to-text services. */
import { createHash } from 'node:crypto';
import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestGateway } from '@audiosplit/gateway/testing/test-gateway';
import { runTool } from '../provision/run-tool.ts';
import type { Task } from '../provision/task.ts';
import { renderSpeechCuts } from './render-speech-cuts.ts';

const NOTICE = '# Made from the description of the API by `npm run generate -- python`. Changes are lost.\n';
const FLAGS = [
  ...['--input-file-type', 'openapi', '--output-model-type', 'typing.TypedDict'],
  ...['--target-python-version', '3.10', '--use-union-operator', '--use-standard-collections'],
  ...['--enum-field-as-literal', 'all', '--use-title-as-name', '--formatters', 'builtin'],
];

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI description has no useful static type
type Description = any;

export async function readDescription(): Promise<Description> {
  await using gateway = await startTestGateway();
  return await (await fetch(new URL('/openapi.json', gateway.url))).json();
}

/** The texts of the files, by file name. */
export async function renderPythonClient(python: string, task: Task): Promise<ReadonlyMap<string, string>> {
  const description = await readDescription();
  return new Map([
    ['models.py', await renderModels(description, python, task)],
    ...renderWithoutPython(description),
  ]);
}

export function renderWithoutPython(description: Description): ReadonlyMap<string, string> {
  return new Map([
    ['errors.py', NOTICE + renderErrors(description)],
    ['speech_cuts.py', NOTICE + renderSpeechCuts()],
  ]);
}

/** A line of models.py that lets a test check, without Python, that the file is up to date. */
export function digestLine(description: Description): string {
  return `# Of a description with the digest ${createHash('sha256').update(schemasOf(description)).digest('hex')}.\n`;
}

async function renderModels(description: Description, python: string, task: Task): Promise<string> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'audiosplit-models-'));
  const [from, to] = [join(folder.path, 'openapi.json'), join(folder.path, 'models.py')];
  await writeFile(from, schemasOf(description));
  await runTool(python, ['-m', 'datamodel_code_generator', ...FLAGS, '--input', from, '--output', to], task);
  // The lines above the imports contain the path of a temporary file.
  const text = await readFile(to, 'utf8');
  return NOTICE + digestLine(description) + text.slice(text.indexOf('\nfrom __future__'));
}

function schemasOf({ openapi, info, components }: Description): string {
  const { Error: _, ...schemas } = components.schemas;
  return JSON.stringify({ openapi, info, paths: {}, components: { schemas } }, withoutExamples);
}

function withoutExamples(key: string, value: unknown): unknown {
  return key === 'examples' || key === 'default' ? undefined : value;
}

function renderErrors({ components }: Description): string {
  const codes: string[] = components.schemas.Error.properties.error.properties.code.enum;
  const classes = codes.map((code) => `class ${nameOf(code)}(AudiosplitError, code="${code}"):\n    pass\n`);
  return `
from .._errors import AudiosplitError


${classes.join('\n\n')}`;
}

function nameOf(code: string): string {
  return code.toLowerCase().replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}
