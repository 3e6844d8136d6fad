const NEEDS_NO_QUOTES = /^[\w%+=@:,./-]+$/;
/** A terminal treats pasted control characters as keys: Ctrl-C would end the quoted text. A line break is safe. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for
const CONTROLS = /([\u0001-\u0009\u000b-\u001f\u007f-\u009f]+)/;

/** Quotes a text as one word of a POSIX shell that is also safe to paste into a terminal. */
export function shellWord(text: string): string {
  // Arguments and file names cannot contain NUL.
  const shown = text.toWellFormed().replaceAll('\0', '');
  if (NEEDS_NO_QUOTES.test(shown)) return shown;
  return (
    shown
      .split(CONTROLS)
      .map((part, position) => (position % 2 === 1 ? printed(part) : quoted(part)))
      .join('') || "''"
  );
}

/** Everything but the single quote is literal between single quotes. */
function quoted(text: string): string {
  return text === '' ? '' : `'${text.replaceAll("'", "'\\''")}'`;
}

function printed(controls: string): string {
  const bytes = [...new TextEncoder().encode(controls)];
  return `"$(printf '${bytes.map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('')}')"`;
}
