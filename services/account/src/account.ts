/** An account as its holder sees it. */
export interface Account {
  readonly id: string;
  /** Empty if an external issuer gives none. */
  readonly email: string;
  readonly name: string;
  readonly createdAt: Date;
}
