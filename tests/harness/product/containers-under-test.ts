/** The containers that the suite has started, as scenarios see them, and the scenarios that are left out there. */
import type { Docker } from '../../../deploy/containers/docker.ts';
import type { SharedInstallation } from './attached-product.ts';

export interface Container {
  readonly id: string;
  /** As compose.yaml names it. */
  readonly service: string;
  /** Of its first process, on this machine. */
  readonly pid: number;
  readonly health: string | undefined;
  readonly restarts: number;
}

export interface ContainersUnderTest extends SharedInstallation {
  /** The product's, without the engines'. */
  readonly containers: readonly Container[];
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

/** Whole files, each with the reason; single scenarios say it by `embeddedOnly`. */
export const LEFT_OUT_OF_CONTAINERS: Readonly<Record<string, string>> = {
  configuration: 'the launchers refuse settings before they start anything; here each process reads its own',
  'first-steps': 'npm start prints commands and serves the sample that they split; here nothing prints any',
  survival:
    'it kills and restarts what npm start and npm run up have started; here that is for the engine to do',
};
