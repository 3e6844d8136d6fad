/** What an account's holder sees of it. */
export interface Account {
  readonly id: string;
  /** Empty where an external issuer tells none. */
  readonly email: string;
  readonly name: string;
  readonly createdAt: Date;
}
