/** The state of a node, a pod or an API service, as reported by the API. */
export interface WithConditions {
  readonly status: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

export function isReady(object: WithConditions): boolean {
  return hasCondition(object, 'Ready');
}

export function hasCondition({ status: { conditions = [] } }: WithConditions, wanted: string): boolean {
  return conditions.some(({ type, status }) => type === wanted && status === 'True');
}
