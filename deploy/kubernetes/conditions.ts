/** What the API says of a node's or a pod's state. */
export interface WithConditions {
  readonly status: {
    readonly conditions?: readonly Condition[];
  };
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

export function isReady({ status }: WithConditions): boolean {
  return (
    status.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') ?? false
  );
}
