/** Writes a text as one word of a POSIX shell. The console has its own, for texts that users typed and paste. */
export function shellWord(text: string): string {
  return /^[\w%+=@:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
