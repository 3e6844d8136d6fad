// The commands behind the npm scripts: what each starts, what must be prepared for it, and its line in
// --help. Plain JavaScript, because launcher.mjs reads it before anything is installed.

/**
 * @typedef {{
 *   help: string,
 *   usage?: string,
 *   entry?: string,
 *   nodeFlags?: string[],
 *   args?: string[],
 *   steps?: string[][],
 *   cwd?: string,
 *   engines?: string,
 *   prepare?: ('pages' | 'code' | 'compile-cache')[],
 *   hasHelp?: boolean,
 * }} Command `entry`: a TypeScript file, which gets `args` before those of the command line. `steps`: programs, one after
 *   the other; the last gets the arguments. `engines`: real engines, which run as long as the command. `hasHelp`: the
 *   entry answers --help itself.
 * @typedef {Command & { commands?: Record<string, Command> }} Script Without a subcommand it runs its own entry or steps, if it has any.
 */

/**
 * For the processes of the product. With several GB to spare, V8 lets garbage grow to three times the live heap, and
 * callers who are refused could make a process grow so. A process's live heap is below 150 MB.
 */
export const productFlags = ['--max-old-space-size=1024'];

const LINT = ['biome', 'check', '.'];
const TYPECHECK = [
  ['tsc', '-p', 'tsconfig.json'],
  ['tsc', '-p', 'gateway/console/tsconfig.json'],
  ['tsc', '-p', 'load-tests/k6/tsconfig.json'],
];
const CHECK_PROTO = [
  ['node', 'proto/check-generated.mjs'],
  ['node', 'proto/check-breaking.mjs'],
];

/**
 * @param {Record<string, string>} helps by command
 * @returns {Record<string, Command>}
 */
function operatorCommands(helps) {
  const entry = 'deploy/operations/main.ts';
  return Object.fromEntries(
    Object.entries(helps).map(([name, help]) => [name, { help, entry, args: [name], hasHelp: true }]),
  );
}

/** @type {Record<string, Script>} */
export const SCRIPTS = {
  start: {
    help: 'run the product in one process, with its own database',
    entry: 'deploy/embedded/main.ts',
    nodeFlags: productFlags,
    prepare: ['pages', 'compile-cache'],
  },
  test: {
    help: 'run the tests, on an embedded PostgreSQL',
    usage: "[FILE …] [flags of Node's test runner]",
    entry: 'tests/harness/runner/run-tests.ts',
    prepare: ['compile-cache'],
  },
  split: {
    help: 'split one file or URL and exit',
    entry: 'deploy/embedded/split.ts',
    prepare: ['compile-cache'],
    hasHelp: true,
  },
  up: {
    help: 'run the product as separate processes on real engines',
    entry: 'deploy/processes/main.ts',
    prepare: ['pages', 'compile-cache'],
    hasHelp: true,
    commands: {
      restart: {
        help: 'replace every process of a running product, without downtime',
        entry: 'deploy/processes/restart.ts',
        hasHelp: true,
      },
      engines: {
        help: 'start the engines alone and print the variables to export',
        entry: 'deploy/engines/up.ts',
        hasHelp: true,
      },
    },
  },
  down: {
    help: 'stop what `npm run up` has started',
    entry: 'deploy/processes/stop.ts',
    hasHelp: true,
    commands: {
      engines: {
        help: 'stop what `npm run up -- engines` has started, and delete its data',
        entry: 'deploy/engines/down.ts',
        hasHelp: true,
      },
    },
  },
  compose: {
    help: 'run the product in containers; `down [--volumes]` stops it',
    usage: '[arguments of docker compose; up by default]',
    entry: 'deploy/containers/compose/main.ts',
  },
  cluster: {
    help: 'a Kubernetes on this machine',
    commands: {
      up: {
        help: 'start it, with the images of the product',
        entry: 'deploy/kubernetes/up.ts',
        hasHelp: true,
      },
      down: {
        help: 'stop it and delete its data',
        entry: 'deploy/kubernetes/down.ts',
        hasHelp: true,
      },
    },
  },
  verify: {
    help: 'run one of the suites that `npm test` leaves out',
    commands: {
      engines: {
        help: 'contract tests on real engines (*.engine.test.ts)',
        usage: "[FILE …] [flags of Node's test runner]",
        entry: 'tests/harness/runner/run-engine-tests.ts',
        prepare: ['code', 'compile-cache'],
      },
      acceptance: {
        help: 'black-box tests of the product, in a clean clone',
        entry: 'tests/acceptance/run.ts',
        hasHelp: true,
      },
      console: {
        help: 'the console and the guide in a real browser',
        usage: "[FILE …] [--screenshots] [flags of Node's test runner]",
        entry: 'tests/browser/run.ts',
        prepare: ['pages', 'compile-cache'],
      },
      guide: { help: 'the code of the guide, in all its languages', entry: 'tests/guide/run.ts' },
      packages: {
        help: 'a release without publishing: packed, built, and tried on a bare Node 20 and from a wheel',
        entry: 'tests/packages/main.ts',
      },
      n8n: {
        help: 'the nodes for n8n in a real n8n, which takes 2.6 GB and minutes to install',
        entry: 'tests/n8n/main.ts',
      },
      schema: {
        help: 'the API against its own description, with schemathesis',
        entry: 'tests/api-fuzzing/run.ts',
        hasHelp: true,
      },
      cluster: {
        help: 'the chart on a Kubernetes',
        usage: '[--report FILE] [--dir FOLDER] [--keep]',
        entry: 'tests/kubernetes/verify-cluster.ts',
      },
      arm64: {
        help: "ffmpeg's sandbox and the engine on an emulated arm64 machine, and with --image the image",
        usage: '[--image]',
        entry: 'tests/arm64/main.ts',
      },
      chart: {
        help: 'the chart without a cluster: rendered, linted, unit tests',
        usage: '[--write]',
        entry: 'tests/chart/verify-chart.ts',
      },
      alerts: { help: 'the alert rules, firing and silent', entry: 'tests/chart/verify-alerts.ts' },
      chaos: {
        help: 'random faults under load, on real processes',
        entry: 'tests/chaos/main.ts',
        prepare: ['compile-cache'],
        hasHelp: true,
      },
      adversaries: {
        help: 'callers that waste work, together with a well-behaved one',
        entry: 'tests/adversaries/main.ts',
        prepare: ['pages', 'compile-cache'],
        hasHelp: true,
      },
      drills: {
        help: 'the disaster drills of docs/operations/drills.md',
        entry: 'tests/drills/main.ts',
        prepare: ['compile-cache'],
        hasHelp: true,
      },
      simulate: {
        help: 'the services on simulated time, over many seeds; it must find every known flaw',
        entry: 'tests/simulation/run/main.ts',
        hasHelp: true,
      },
      fuzz: {
        help: 'the parsers of the splitter on hostile input',
        usage: '[--target all|NAME,…] [--executions N] [--seed N]',
        entry: 'clients/engine/fuzz/fuzz.ts',
      },
      engine: {
        help: 'seams and lengths of segments, measured',
        entry: 'clients/engine/bench/engine-check.ts',
      },
      players: {
        help: "segments in other programs' players, and the loudness of recordings",
        entry: 'tests/players/main.ts',
        hasHelp: true,
      },
    },
  },
  load: {
    help: 'load tests with k6',
    entry: 'load-tests/runner/main.ts',
    prepare: ['compile-cache'],
    hasHelp: true,
  },
  bench: {
    help: 'measure one part',
    commands: {
      engine: {
        help: 'the speed of the splitter, by source and output format',
        entry: 'clients/engine/bench/engine-bench.ts',
      },
      api: {
        help: 'requests of the API',
        entry: 'gateway/bench/bench-api.ts',
        engines: 'redis,postgres',
      },
      list: {
        help: 'lists, and a job from its creation to its end, beside millions of jobs and accounts',
        usage: '[--jobs N] [--accounts N] [--samples N]',
        entry: 'services/jobs/bench/list-bench.ts',
        engines: 'postgres',
      },
      usage: {
        help: 'usage and costs, with many jobs and accounts',
        usage: '[--jobs N] [--accounts N] [--samples N]',
        entry: 'services/billing/bench/usage-bench.ts',
        engines: 'postgres',
      },
      pipeline: {
        help: 'the pipeline of a job, on both buses',
        usage:
          '[--bus postgres,kafka] [--jobs N] [--burst N] [--idle SECONDS] [--rounds N] [--beside COMMIT]',
        entry: 'load-tests/bench/pipeline/pipeline-bench.ts',
        engines: 'kafka',
      },
      scale: {
        help: 'one long job on one splitter and on two',
        usage: '[--minutes N] [--rounds N]',
        entry: 'load-tests/bench/scale/scale-bench.ts',
        engines: 'postgres,redis,kafka,versitygw',
      },
    },
  },
  operate: {
    help: 'commands for operators of an installation',
    commands: {
      ...operatorCommands({
        backup: 'back up the database and the events in flight',
        restore: 'restore a backup',
        reconcile: 'compare the database with the bucket',
        reseal: 'encrypt stored secrets with a new key',
        'rotate-keys': 'new keys with which processes sign their calls',
        'grant-access': 'give each process its own login at the engines',
        lag: 'events that consumers have not handled yet',
        'dead-letters': 'list, show, replay or discard dead letters',
        overrides: 'limits and prices of one account',
      }),
      operators: {
        help: "serve the operators' console for an installation elsewhere",
        entry: 'gateway/src/operators/main.ts',
        prepare: ['pages'],
      },
    },
  },
  check: {
    help: 'lint, typecheck and proto, one after the other',
    steps: [LINT, ...TYPECHECK, ...CHECK_PROTO],
    commands: {
      lint: { help: 'style and common mistakes, with Biome', steps: [LINT] },
      format: {
        help: 'format the code and fix what can be fixed',
        steps: [['biome', 'check', '--write', '.']],
      },
      typecheck: { help: 'types, with TypeScript', steps: TYPECHECK },
      proto: { help: 'generated code is current, and contracts stay compatible', steps: CHECK_PROTO },
    },
  },
  generate: {
    help: 'write generated files again',
    commands: {
      proto: {
        help: 'code for the .proto files',
        steps: [
          ['buf', 'lint'],
          ['buf', 'generate'],
        ],
        cwd: 'proto',
      },
      'proto:accept': {
        help: 'accept the present contracts as the base for compatibility',
        usage: '[--breaking]',
        steps: [['node', 'proto/check-breaking.mjs', '--accept']],
      },
      client: {
        help: "the TypeScript client, from the API's description",
        entry: 'gateway/generate/write-client.ts',
      },
      python: {
        help: 'the models and errors of the Python client, likewise',
        entry: 'deploy/python-client/generate.ts',
      },
      samples: { help: 'the audio samples', entry: 'deploy/embedded/samples/make-samples.ts' },
      metrics: {
        help: 'docs/reference/metrics.md',
        entry: 'deploy/embedded/metrics-page.ts',
      },
      configuration: {
        help: 'docs/configuration.md',
        entry: 'deploy/embedded/configuration-page.ts',
      },
      runbook: { help: 'docs/operations/runbook.md', entry: 'tests/chart/write-runbook.ts' },
      sandbox: {
        help: "the programs of ffmpeg's sandbox, compiled",
        entry: 'deploy/sandbox/write-programs.ts',
      },
      coverage: {
        help: 'results/{promises,coverage}.md: the promises and the tests that show them',
        steps: [
          ['node', '--conditions=audiosplit-source', 'tests/promises/write-promises-page.ts'],
          ['node', '--conditions=audiosplit-source', 'tests/acceptance/write-coverage-page.ts'],
        ],
      },
      limits: { help: 'docs/limits.md', entry: 'deploy/embedded/limits-page.ts' },
      errors: { help: 'docs/reference/errors.md', entry: 'gateway/src/docs/write-errors-page.ts' },
      version: {
        help: "the version of the root's package.json, wherever else it stands",
        entry: 'deploy/release/write-version.ts',
      },
    },
  },
  build: {
    help: 'compile the code and the pages, as images run them',
    prepare: ['pages'],
    steps: [['tsc', '-b', 'tsconfig.build.json']],
    commands: {
      images: { help: 'build the container images', entry: 'deploy/containers/build.ts', hasHelp: true },
    },
  },
  release: {
    help: 'pack what is published, check it, and publish it; `--dry-run` stops before that',
    entry: 'deploy/release/main.ts',
    hasHelp: true,
  },
};
