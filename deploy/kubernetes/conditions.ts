/** The state of a node or a pod as reported by the API. */
export interface WithConditions {
  readonly status: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

export function isReady({ status: { conditions = [] } }: WithConditions): boolean {
  return conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
}
