import type { ObjectStore } from '@audiosplit/chassis/object-store/object-store';
import type { Credentials } from '../credentials/credentials.ts';
import type { Principal } from '../credentials/principal.ts';
import type { DownloadLinks, LinkOptions } from '../downloads/download-links.ts';
import type { JobEventStreams } from '../events/job-event-streams.ts';
import type { Services } from '../services.ts';

/** The dependencies of the API's routes. */
export interface RouteDependencies {
  readonly services: Services;
  readonly credentials: Credentials;
  readonly links: LinkOptions;
  readonly downloads: DownloadLinks;
  readonly eventStreams: JobEventStreams;
  readonly store: ObjectStore;
  /** Counts further calls of an admitted caller, even beyond the limit. Returns the limit headers. */
  readonly countCalls: (principal: Principal, calls: number) => Promise<Readonly<Record<string, string>>>;
}
