/** What an account's holder sees of it. */
export interface Account {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly createdAt: Date;
}
