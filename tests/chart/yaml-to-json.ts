/** YAML as values, by the parser that reads it in earnest: Helm's own. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Reads what helm template prints, or anything else of several documents. */
export function documentsOf(text: string): readonly string[] {
  return text.split(/^---$/m).filter((document) => /^[^#\s]/m.test(document));
}

/** One value per text, in order; each text is one document. */
export async function yamlToJson(helm: string, texts: readonly string[]): Promise<readonly unknown[]> {
  const chart = await mkdtemp(join(tmpdir(), 'audiosplit-yaml-'));
  try {
    await writeFile(join(chart, 'Chart.yaml'), 'apiVersion: v2\nname: yaml-to-json\nversion: 0.0.0\n');
    await mkdir(join(chart, 'templates'));
    await mkdir(join(chart, 'files'));
    await writeFile(
      join(chart, 'templates/all.yaml'),
      '{{ range $path, $_ := .Files.Glob "files/*" }}{{ dict $path ($.Files.Get $path | fromYaml) | toJson }}\n---\n{{ end }}',
    );
    await Promise.all(texts.map((text, index) => writeFile(join(chart, 'files', String(index)), text)));
    const { stdout } = await run(helm, ['template', 'all', chart], { maxBuffer: 256 * 1024 * 1024 });
    const values = new Map<string, unknown>();
    for (const line of stdout.split('\n').filter((candidate) => candidate.startsWith('{'))) {
      const [entry] = Object.entries(JSON.parse(line) as Record<string, unknown>);
      if (entry !== undefined) values.set(entry[0], entry[1]);
    }
    return texts.map((_, index) => {
      const value = values.get(`files/${index}`);
      if (value === undefined) throw new Error(`document ${index} did not come back from Helm`);
      return value;
    });
  } finally {
    await rm(chart, { recursive: true, force: true });
  }
}
