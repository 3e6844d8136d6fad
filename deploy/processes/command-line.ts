/** The options of `npm run up`, `npm run down` and `npm run up -- restart`. */
import { flag, whole } from '../provision/options.ts';

export const UP = {
  command: 'npm run up --',
  about: `What npm start reads from the environment, npm run up does too: PORT, HOST, DATA_DIR (./.data/distributed), … With
DATABASE_URL, KAFKA_BROKERS, REDIS_URL or STORAGE_URL it uses yours and does not start its own.`,
  options: {
    gateways: whole({ least: 1, most: 16 }, 2, 'gateways behind the one address, 1 to 16'),
    // A topic of the bus has 64 partitions: a 65th splitter would have nothing to do.
    splitters: whole({ least: 1, most: 64 }, 3, 'splitters, 1 to 64'),
    detach: flag('leave it running and give the terminal back; npm run down stops it'),
    'no-restart': flag('leave a process that has died dead'),
    'keep-engines': flag('leave PostgreSQL, Redis, Kafka and S3 running at the end, for the next start'),
  },
};

export const DOWN = {
  command: 'npm run down --',
  options: {
    'delete-data': flag('delete DATA_DIR (./.data/distributed) as well: database, events, files, logs'),
  },
};

export const RESTART = {
  command: 'npm run up -- restart',
  about: `Replaces every process of what npm run up has started, one after the other, while it serves. Reads DATA_DIR as
npm run up does.`,
  options: {},
};
