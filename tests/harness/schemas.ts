/** The schemas of all services and of the bus, for suites that migrate their own databases. */
export { SCHEMAS } from '../../deploy/embedded/schemas.ts';
