/** A segment would take the place of a file that is there. */
export class FileExistsError extends Error {
  override readonly name = 'FileExistsError';
  readonly path: string;
  constructor(path: string) {
    super(`${path} exists`);
    this.path = path;
  }
}
