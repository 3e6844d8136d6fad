/** What a run leaves behind: a page with plots, the same as JSON, and a page of Markdown that leads to both. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { renderHtml } from '../report/html.ts';
import { lengthOf } from '../report/length.ts';
import { renderText } from '../report/text.ts';
import type { Results } from './results.ts';

/** `file` has no extension; what has been there is replaced. Gives the paths written. */
export function writeReport(results: Results, file: string): readonly string[] {
  const name = basename(file);
  const contents = {
    md: `# ${results.profile}: ${lengthOf(results)}\n\n${results.purpose}\n\n${renderText(results)}\nPlots: [${name}.html](${name}.html). Figures: [${name}.json](${name}.json).\n`,
    html: renderHtml(results),
    json: `${JSON.stringify(results, null, 1)}\n`,
  };
  mkdirSync(dirname(file), { recursive: true });
  return Object.entries(contents).map(([extension, content]) => {
    const path = `${file}.${extension}`;
    writeFileSync(path, content);
    return path;
  });
}
