/** A segment would replace an existing file. */
export class FileExistsError extends Error {
  override readonly name = 'FileExistsError';
  readonly path: string;
  constructor(path: string) {
    super(`${path} exists`);
    this.path = path;
  }
}
