/** Runs one server of servers.ts and reports its CPU time and profile to its parent. */
import { Session } from 'node:inspector/promises';
import { type ModuleShare, sharesByModule } from './profile.ts';
import { SERVERS, type ServerOptions } from './servers.ts';

export type Question = 'cpu' | 'startProfile' | 'stopProfile';
export type Answer =
  | { readonly url: string }
  | { readonly cpuMs: number }
  | { readonly shares: readonly ModuleShare[] };

const [kind = '', options = '{}'] = process.argv.slice(2);
const start = SERVERS[kind];
if (start === undefined || process.send === undefined) throw new Error(`there is no server ${kind}`);
const session = new Session();
session.connect();

process.on('disconnect', () => process.exit());
process.on('message', async (question: Question) => reply(await answerTo(question)));
reply({ url: await start(JSON.parse(options) as ServerOptions) });

function reply(answer: Answer): void {
  process.send?.(answer);
}

async function answerTo(question: Question): Promise<Answer> {
  switch (question) {
    case 'cpu': {
      const { user, system } = process.cpuUsage();
      return { cpuMs: (user + system) / 1_000 };
    }
    case 'startProfile':
      await session.post('Profiler.enable');
      await session.post('Profiler.start');
      return { shares: [] };
    case 'stopProfile': {
      const { profile } = await session.post('Profiler.stop');
      return { shares: sharesByModule(profile) };
    }
    default:
      return question satisfies never;
  }
}
