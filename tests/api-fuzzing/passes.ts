/**
 * Which credentials test which operations: each operation with every kind of credential that it accepts, and
 * in a separate pass if it affects others.
 */
interface Operation {
  readonly operationId: string;
  readonly security: readonly Readonly<Record<string, unknown>>[];
}

export interface Pass {
  readonly name: string;
  /** The security scheme whose credential is sent, and the account that owns it. */
  readonly scheme: 'apiKey' | 'accessToken';
  readonly account: string;
  takes(operation: Operation): boolean;
}

/** After the first of them all other operations are refused to that account. */
const LEAVING = ['deleteAccount', 'restoreAccount', 'getAccount'];

const accepts = (scheme: string, { security }: Operation) => security.some((each) => scheme in each);

export const PASSES: readonly Pass[] = [
  { name: 'API key', scheme: 'apiKey', account: 'program', takes: (each) => accepts('apiKey', each) },
  {
    name: 'access token',
    scheme: 'accessToken',
    account: 'person',
    takes: (operation) =>
      accepts('accessToken', operation) &&
      !['deleteAccount', 'restoreAccount'].includes(operation.operationId),
  },
  {
    name: 'strangers and leavers',
    scheme: 'accessToken',
    account: 'leaver',
    takes: (operation) => operation.security.length === 0 || LEAVING.includes(operation.operationId),
  },
];

type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

export function operationsOf({ paths }: { readonly paths: Paths }): Operation[] {
  return Object.values(paths).flatMap((item) => Object.values(item));
}
