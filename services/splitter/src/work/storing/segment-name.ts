/** `<base name of the source>-<index>.<extension>`, the index padded so that names sort in order. */
export function segmentFileName(
  sourceFileName: string,
  index: number,
  count: number,
  extension: string,
): string {
  const dot = sourceFileName.lastIndexOf('.');
  const base = dot > 0 ? sourceFileName.slice(0, dot) : sourceFileName;
  const width = String(Math.max(count - 1, 0)).length;
  return `${base}-${String(index).padStart(width, '0')}.${extension}`;
}
