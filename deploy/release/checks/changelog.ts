/** Checks that the changelog has a section for this version. */
export function findChangelogProblems(changelog: string, version: string): readonly string[] {
  const sections = changelog.split(/^## /m).slice(1);
  const own = sections.find((section) => section.split('\n', 1)[0] === version);
  if (own === undefined) return [`CHANGELOG.md has no section ## ${version}`];
  return own.split('\n').slice(1).join('').trim() === '' ? [`CHANGELOG.md says nothing of ${version}`] : [];
}
