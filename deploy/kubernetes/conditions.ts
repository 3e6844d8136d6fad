/** What the API says of a node's or a pod's state. */
export interface WithConditions {
  readonly status: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

export function isReady({ status: { conditions = [] } }: WithConditions): boolean {
  return conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
}
