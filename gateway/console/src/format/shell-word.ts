const NEEDS_NO_QUOTES = /^[\w%+=@:,./-]+$/;
/** A terminal that is pasted into takes these for keys: a Ctrl-C would end the quoted text. A line break is none of them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for
const CONTROLS = /([\u0001-\u0009\u000b-\u001f\u007f-\u009f]+)/;

/** Writes a text as one word of a POSIX shell, also where the command is pasted into a terminal. */
export function shellWord(text: string): string {
  // No word of a shell, no name of a file and no argument of a program can hold a NUL.
  const shown = text.toWellFormed().replaceAll('\0', '');
  if (NEEDS_NO_QUOTES.test(shown)) return shown;
  return (
    shown
      .split(CONTROLS)
      .map((part, position) => (position % 2 === 1 ? printed(part) : quoted(part)))
      .join('') || "''"
  );
}

/** Between single quotes a shell takes everything but the single quote as it stands. */
function quoted(text: string): string {
  return text === '' ? '' : `'${text.replaceAll("'", "'\\''")}'`;
}

function printed(controls: string): string {
  const bytes = [...new TextEncoder().encode(controls)];
  return `"$(printf '${bytes.map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('')}')"`;
}
