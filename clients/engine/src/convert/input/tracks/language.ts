/**
 * Whether two codes name the same language.
 *
 * The parts of ISO 639 give most languages two codes, and some three: `de`, `deu` and `ger`. Node's tables (the language
 * aliases of Unicode's CLDR, UTS 35 annex C) lead all of them to one, also those of ISO 639-3 for the chief language of a
 * group, as `cmn` to `zh`. Of a BCP 47 tag such as `pt-BR` only the language counts.
 */
export function isSameLanguage(asked: string, known: string | undefined): boolean {
  if (known === undefined) return false;
  const language = canonicalLanguage(asked);
  return language !== undefined && language === canonicalLanguage(known);
}

/** What stands for no language, or for several. */
const NO_LANGUAGE = new Set(['und', 'mis', 'mul', 'zxx']);

function canonicalLanguage(code: string): string | undefined {
  try {
    const { language } = new Intl.Locale(code.trim().replaceAll('_', '-'));
    return language === undefined || NO_LANGUAGE.has(language) ? undefined : language;
  } catch (error) {
    // It has not the form of a code.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
