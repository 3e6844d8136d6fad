/** The containers that the suite has started, for the scenarios. */
import type { Docker } from '../../../../deploy/containers/docker.ts';
import type { Product } from './product.ts';

export interface Container {
  readonly id: string;
  /** The name in compose.yaml. */
  readonly service: string;
  /** Of the container's first process, on this machine. */
  readonly pid: number;
  readonly health: string | undefined;
  readonly restarts: number;
}

export interface ContainersUnderTest {
  readonly product: Omit<Product, 'apiKey' | 'headers'>;
  readonly redisUrl: string;
  /** The product's containers, without the engines'. */
  readonly containers: readonly Container[];
  /** The id of the container with administrator logins, which has ended. */
  readonly administrator: string;
  readonly docker: Pick<Docker, 'command' | 'environment'>;
  /** The Docker network through which the services reach the engines and each other. */
  readonly network: string;
}

/** Set in the suite's environment. */
export const CONTAINERS_VARIABLE = 'ACCEPTANCE_CONTAINERS';

const given = process.env[CONTAINERS_VARIABLE];
/** Undefined if the suite does not test containers. */
export const containersUnderTest =
  given === undefined ? undefined : (JSON.parse(given) as ContainersUnderTest);
