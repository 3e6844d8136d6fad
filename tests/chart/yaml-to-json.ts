/** Parses YAML with the parser that the chart really uses, Helm's own. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Splits helm template's output, or any other text with several documents. */
export function documentsOf(text: string): readonly string[] {
  return text.split(/^---$/m).filter((document) => /^[^#\s]/m.test(document));
}

/** One value per text, in order; each text is one document. */
export async function yamlToJson(helm: string, texts: readonly string[]): Promise<readonly unknown[]> {
  await using chart = await mkdtempDisposable(join(tmpdir(), 'audiosplit-yaml-'));
  await writeFile(join(chart.path, 'Chart.yaml'), 'apiVersion: v2\nname: yaml-to-json\nversion: 0.0.0\n');
  await mkdir(join(chart.path, 'templates'));
  await mkdir(join(chart.path, 'files'));
  await writeFile(
    join(chart.path, 'templates/all.yaml'),
    '{{ range $path, $_ := .Files.Glob "files/*" }}{{ dict $path ($.Files.Get $path | fromYaml) | toJson }}\n---\n{{ end }}',
  );
  await Promise.all(texts.map((text, index) => writeFile(join(chart.path, 'files', String(index)), text)));
  const { stdout } = await run(helm, ['template', 'all', chart.path], { maxBuffer: 256 * 1024 * 1024 });
  const lines = stdout.split('\n').filter((line) => line.startsWith('{'));
  const values: Readonly<Record<string, unknown>> = Object.assign(
    {},
    ...lines.map((line) => JSON.parse(line)),
  );
  return texts.map((_, index) => {
    const value = values[`files/${index}`];
    if (value === undefined) throw new Error(`document ${index} did not come back from Helm`);
    return value;
  });
}
