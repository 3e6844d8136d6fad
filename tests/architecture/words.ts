/** Words that are no technical terms, each with its replacement. */
const INSTEAD: readonly (readonly [word: RegExp, instead: string, legitimateIn?: string])[] = [
  [/\b(?:un)?told\b/, 'reported, notified, passed'],
  [/\bwish(?:es|ed|ing)?\b/, 'request'],
  [/\bwhoever\b/, 'the subject itself: the caller, the client'],
  // The Unix account.
  [/\bnobody\b/, 'the subject itself: no client, no process', 'deploy/engines'],
  [/\b(?:un)?heed(?:s|ed|ing)?\b/, 'read, respected'],
  [/\bdoom(?:s|ed)?\b/, 'scheduled for deletion'],
  [/\brous(?:e|es|ed|ing)\b/, 'notify, trigger'],
  [/\bwho asks\b/, 'the caller'],
  [/\bthe word\b/, 'request, message'],
  [/\bis heard\b/, 'is received'],
  [/\bunder way\b/, 'in flight, in progress'],
  [/\bmak(?:e|es|ing) whole\b|\bmade whole\b/, 'the operation by its name'],
];

const ANY = new RegExp(INSTEAD.map(([{ source }]) => source).join('|'));
const CASE_BORDER = /([a-z0-9])([A-Z])/g;
const SEPARATOR = /[_-]/g;

/**
 * Returns the listed words of a line, each with its replacement. camelCase and CONSTANT_CASE are read as
 * words.
 */
export function wrongWords(line: string, room: string): string[] {
  const text = line.replaceAll(CASE_BORDER, '$1 $2').replaceAll(SEPARATOR, ' ').toLowerCase();
  if (!ANY.test(text)) return [];
  return INSTEAD.flatMap(([pattern, instead, legitimateIn]) => {
    const [found] = legitimateIn === room ? [] : (pattern.exec(text) ?? []);
    return found === undefined ? [] : [`“${found}” (write: ${instead})`];
  });
}
