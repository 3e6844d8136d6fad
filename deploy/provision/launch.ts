/** A process to be started; it stays in the foreground and logs to stdout or stderr. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly runAs?: Account;
}

export interface Account {
  readonly uid: number;
  readonly gid: number;
}
