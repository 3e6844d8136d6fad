/** What a test can do to running programs, each by its name. */
export interface Controls<Name extends string> {
  names(): readonly Name[];
  /** Undefined while it does not run. */
  pid(name: Name): number | undefined;
  /** Without a chance to clean up. Resolves once it has ended. */
  kill(name: Name): Promise<void>;
  /** It does nothing until thawed; its connections stay open. */
  freeze(name: Name): void;
  thaw(name: Name): void;
}
