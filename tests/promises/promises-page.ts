/** results/promises.md: which tests show each promise. */
import type { NamedTest, NamedTests } from './named-tests.ts';
import type { Section } from './promises.ts';

export function renderPromises(sections: readonly Section[], { testsOf }: NamedTests): string {
  return `# What is promised, and the test that shows it

Written by \`npm run generate -- coverage\`. \`npm test\` fails when a promise is named by no test, and when a test names one that
does not exist. The promises stand in [pages](../tests/promises/pages), an id
for each sentence, row, bound and transition that binds: \`I-…\` those of the interface, \`D-…\` those of the decisions
where it leaves something open, \`C-…\` those of the ways to cut, \`B-…\` the bounds on what one caller may cost another.
A test names what it shows in its title or in a comment above it. \`npm test\` runs them
all but for \`*.acceptance.ts\` (\`npm run verify -- acceptance\`) and \`*.engine.test.ts\` (\`npm run verify -- engines\`).

${sections.map((section) => renderSection(section, testsOf)).join('\n')}`;
}

function renderSection({ title, promises }: Section, testsOf: NamedTests['testsOf']): string {
  const rows = promises.map(
    ({ id, says }) => `| ${id} | ${cell(says)} | ${(testsOf.get(id) ?? []).map(link).join('<br>')} |`,
  );
  return `## ${title}\n\n| | What holds | Shown by |\n|---|---|---|\n${rows.join('\n')}\n`;
}

/** Escapes characters that have a meaning in Markdown. */
const link = ({ file, title }: NamedTest) =>
  `[${cell(title.replaceAll(/[[\]]/g, '\\$&').replaceAll('<', '&lt;'))}](../${file})`;

const cell = (text: string) => text.replaceAll('|', '\\|');
