/** Regenerates haproxy.cfg, after a change of deploy/processes/balancer.ts. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { composeBalancerConfig } from '../../processes/balancer.ts';

await writeFile(join(import.meta.dirname, 'haproxy.cfg'), composeBalancerConfig());
