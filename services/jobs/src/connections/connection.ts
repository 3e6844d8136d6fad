/** A named bucket of an account, as shown to its holder. */
export interface Connection {
  readonly id: string;
  readonly accountId: string;
  /** Unique within the account. */
  readonly name: string;
  /** Undefined: Amazon's endpoint of the region. */
  readonly endpoint: string | undefined;
  readonly region: string;
  readonly bucket: string;
  /** Prepended to every key; empty, or with a trailing slash. */
  readonly prefix: string;
  readonly accessKeyId: string;
  readonly createdAt: Date;
}

export interface SealedSecret {
  readonly sealed: Buffer;
  /** The name of the key that decrypts it. */
  readonly sealedUnder: string;
}

export type SealedConnection = Connection & SealedSecret;
