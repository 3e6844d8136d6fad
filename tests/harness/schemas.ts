/** The schemas of all services and of the bus, for suites that migrate databases of their own. */
export { SCHEMAS } from '../../deploy/embedded/schemas.ts';
