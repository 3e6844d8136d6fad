/**
 * Whether two codes name the same language.
 *
 * The parts of ISO 639 give most languages two codes, and some three: `de`, `deu` and `ger`. Node's tables
 * (the language aliases of Unicode's CLDR, UTS 35 annex C) map all of them to one, also the ISO 639-3 code of
 * the chief language of a group, such as `cmn` to `zh`. Of a BCP 47 tag such as `pt-BR` only the language
 * counts.
 */
export function isSameLanguage(asked: string, known: string | undefined): boolean {
  if (known === undefined) return false;
  const language = canonicalLanguage(asked);
  return language !== undefined && language === canonicalLanguage(known);
}

/** Codes for no language, or for several. */
const NO_LANGUAGE = new Set(['und', 'mis', 'mul', 'zxx']);

function canonicalLanguage(code: string): string | undefined {
  try {
    const { language } = new Intl.Locale(code.trim().replaceAll('_', '-'));
    return language === undefined || NO_LANGUAGE.has(language) ? undefined : language;
  } catch (error) {
    // It does not have the form of a code.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
