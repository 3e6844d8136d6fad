/**
 * A product on an installation that runs for all scenarios: a new account, with nothing counted against it yet. Whatever
 * would stop or change the installation is not to be had.
 */
import { rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { systemClock } from '@audiosplit/chassis/clock';
import { remoteAddress } from '@audiosplit/chassis/rpc/client';
import { openDevelopmentAccount } from '../../../deploy/embedded/development-account.ts';
import type { Product } from './running-product.ts';

export interface SharedInstallation
  extends Pick<Product, 'baseUrl' | 'samplesUrl' | 'hostAddress' | 'dataDir' | 'scratchDirs'> {
  /** Where services are called, by their names. */
  readonly rpcUrls: Readonly<Record<string, string>>;
  readonly internalSecret: string;
  readonly redis: RedisAddress;
  /** Where the account is kept that is given away last. */
  readonly accountFolder: string;
}

export interface RedisAddress {
  readonly host: string;
  readonly port: number;
}

export async function attachToInstallation(installation: SharedInstallation): Promise<Product> {
  const { rpcUrls, internalSecret, redis, accountFolder, ...facts } = installation;
  await forgetCounts(redis);
  await forgetAccount(accountFolder);
  const { apiKey } = await openDevelopmentAccount({
    dataDir: accountFolder,
    addressOf: (service) => remoteAddress(rpcUrls[service] ?? ''),
    internalSecret,
    clock: systemClock,
  });
  const notOurs = () => {
    throw new Error('this product is shared with other scenarios: name a command to have one started');
  };
  return {
    ...facts,
    apiKey,
    output: notOurs,
    exited: new Promise(() => undefined),
    processGroup: 0,
    runningParts: notOurs,
    signal: notOurs,
    killHard: notOurs,
    [Symbol.asyncDispose]: async () => undefined,
  };
}

/** Whoever comes next is given a new one. */
export function forgetAccount(folder: string): Promise<void> {
  return rm(join(folder, 'development.json'), { force: true });
}

/** A new product has counted no requests, of no address. */
export async function forgetCounts(redis: RedisAddress): Promise<void> {
  const socket = connect(redis);
  socket.end('FLUSHALL\r\nQUIT\r\n');
  for await (const reply of socket.setEncoding('utf8')) {
    if (!String(reply).startsWith('+OK')) throw new Error(`Redis answered FLUSHALL with ${reply}`);
  }
}
