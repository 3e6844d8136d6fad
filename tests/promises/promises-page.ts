/** The part of results/coverage.md that goes through the promises. */
import type { NamedTest, NamedTests } from './named-tests.ts';
import type { Section } from './promise.ts';

export function renderPromises(sections: readonly Section[], { testsOf }: NamedTests): string {
  return sections.map((section) => renderSection(section, testsOf)).join('\n');
}

function renderSection({ title, promises }: Section, testsOf: NamedTests['testsOf']): string {
  const rows = Object.entries(promises).map(
    ([id, says]) => `| ${id} | ${cell(says)} | ${(testsOf.get(id) ?? []).map(link).join('<br>')} |`,
  );
  return `## ${title}\n\n| | What holds | Shown by |\n|---|---|---|\n${rows.join('\n')}\n`;
}

/** What means something in Markdown stands for itself. */
const link = ({ file, title }: NamedTest) =>
  `[${cell(title.replaceAll(/[[\]]/g, '\\$&').replaceAll('<', '&lt;'))}](../${file})`;

const cell = (text: string) => text.replaceAll('|', '\\|');
