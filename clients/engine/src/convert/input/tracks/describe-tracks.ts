import { cleanTitle } from '@audiosplit/cuts/plan/title';

/** Longer than any code of ISO 639 and than usual tags of BCP 47: a source may state anything. */
const MAX_LANGUAGE_CHARACTERS = 35;
/** In a message, which is stored and sent. */
const MAX_STRETCHES = 50;

/** The tracks by index, with their languages; consecutive ones of one language together. */
export function describeTracks(languages: readonly (string | undefined)[]): string {
  const stretches: { readonly first: number; last: number; readonly language: string }[] = [];
  for (const [index, code] of languages.entries()) {
    const language = cleanTitle(code)?.slice(0, MAX_LANGUAGE_CHARACTERS) ?? 'no language';
    const before = stretches.at(-1);
    if (before?.language === language) before.last = index;
    else if (stretches.length === MAX_STRETCHES)
      return `${describe(stretches)}, and ${languages.length - index} more`;
    else stretches.push({ first: index, last: index, language });
  }
  return describe(stretches);
}

function describe(
  stretches: readonly { readonly first: number; readonly last: number; readonly language: string }[],
): string {
  return stretches
    .map(({ first, last, language }) => `${first === last ? first : `${first} to ${last}`} (${language})`)
    .join(', ');
}
