/** haproxy.cfg anew, after a change of deploy/distributed/balancer.ts. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { composeBalancerConfig } from '../../distributed/balancer.ts';

await writeFile(join(import.meta.dirname, 'haproxy.cfg'), composeBalancerConfig());
