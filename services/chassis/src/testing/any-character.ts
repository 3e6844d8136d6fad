import fc from 'fast-check';

/**
 * Any character of Unicode, for `fc.string`. Its own unit `binary` first puts all million of them into a table, which takes
 * a second and 130 MB.
 */
export const anyCharacter = fc
  .nat(0x10f7ff)
  .map((position) => String.fromCodePoint(position < 0xd800 ? position : position + 0x800));
