/** Words that stand for no term of the field, each with what to write instead. */
const INSTEAD: readonly (readonly [word: RegExp, instead: string, legitimateIn?: string])[] = [
  [/\b(?:un)?told\b/, 'reported, notified, passed'],
  [/\bwish(?:es|ed|ing)?\b/, 'request'],
  [/\bwhoever\b/, 'the subject itself: the caller, the client'],
  // Of Unix, the account.
  [/\bnobody\b/, 'the subject itself: no client, no process', 'deploy/engines'],
  [/\b(?:un)?heed(?:s|ed|ing)?\b/, 'read, respected'],
  [/\bdoom(?:s|ed)?\b/, 'scheduled for deletion'],
  [/\brous(?:e|es|ed|ing)\b/, 'notify, trigger'],
  [/\bwho asks\b/, 'the caller'],
  [/\bthe word\b/, 'request, message'],
  // In audio the term is right.
  [/\bis heard\b/, 'is received', 'services/splitter'],
  [/\bunder way\b/, 'in flight, in progress'],
  [/\bmak(?:e|es|ing) whole\b|\bmade whole\b/, 'the operation by its name'],
];

/** What stands in a line that should not; camelCase and CONSTANT_CASE are read as words. */
export function wrongWords(line: string, room: string): string[] {
  const text = line
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/[_-]/g, ' ')
    .toLowerCase();
  return INSTEAD.flatMap(([pattern, instead, legitimateIn]) => {
    const [found] = legitimateIn === room ? [] : (pattern.exec(text) ?? []);
    return found === undefined ? [] : [`“${found}” (write: ${instead})`];
  });
}
