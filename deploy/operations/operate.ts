/**
 * `operate.ts <command> …`: every command of an operator's under one name, as the image `tools` has them. Each is a program
 * that reads its own arguments and ends the process; here it is only found.
 */
import { runToEnd, StartError } from '@audiosplit/chassis/process/lifecycle';

const USAGE = `usage: <command> [arguments]
backup, restore, reconcile, reseal   an installation's data
lag, dead-letters                    the bus
overrides                            limits and prices of one account
A command without its arguments says which it takes. From a checkout each is npm run operate -- <command> [arguments].`;

const [command = ''] = process.argv.slice(2);
switch (command) {
  case 'backup':
  case 'restore':
  case 'reconcile':
  case 'reseal':
    await import('./main.ts');
    break;
  case 'lag':
  case 'dead-letters':
    await import('./bus/main.ts');
    break;
  case 'overrides':
    // That program is for this alone, and begins with the account.
    process.argv.splice(2, 1);
    await import('./overrides/main.ts');
    break;
  case 'help':
  case '--help':
    process.stdout.write(`${USAGE}\n`);
    break;
  default:
    await runToEnd('operate', () =>
      Promise.reject(
        new StartError(`${command === '' ? 'say what to do' : `there is no ${command}`}\n${USAGE}`),
      ),
    );
}
