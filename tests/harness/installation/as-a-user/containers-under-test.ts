/** The containers that the suite has started, as scenarios see them. */
import type { Docker } from '../../../../deploy/containers/docker.ts';
import type { Product } from './product.ts';

export interface Container {
  readonly id: string;
  /** As compose.yaml names it. */
  readonly service: string;
  /** Of its first process, on this machine. */
  readonly pid: number;
  readonly health: string | undefined;
  readonly restarts: number;
}

export interface ContainersUnderTest {
  readonly product: Omit<Product, 'apiKey' | 'headers'>;
  readonly redisUrl: string;
  /** The product's, without the engines'. */
  readonly containers: readonly Container[];
  /** The id of the one with an administrator's logins, which has ended. */
  readonly administrator: string;
  readonly docker: Pick<Docker, 'command' | 'environment'>;
  /** Where the services reach the engines and each other, by Docker's name. */
  readonly network: string;
}

/** In the suite's environment. */
export const CONTAINERS_VARIABLE = 'ACCEPTANCE_CONTAINERS';

const given = process.env[CONTAINERS_VARIABLE];
/** Undefined where something else is tested. */
export const containersUnderTest =
  given === undefined ? undefined : (JSON.parse(given) as ContainersUnderTest);
