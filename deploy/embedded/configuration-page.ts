/** Generates docs/configuration.md from the settings of every process. */
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { PROCESS_SETTINGS, SERVICE_SETTINGS } from '@audiosplit/chassis/process/process-config';
import type { Setting, Settings } from '@audiosplit/chassis/process/settings';
import { SETTINGS as LOCAL } from './config.ts';
import { OWN_SETTINGS_OF, SETTINGS } from './settings.ts';

export const CONFIGURATION_PAGE = fileURLToPath(new URL('../../docs/configuration.md', import.meta.url));

const SECRETS = Object.entries(SETTINGS)
  .filter(([, { isSecret }]) => isSecret)
  .map(([name]) => `\`${name}\``)
  .join(', ');

const INTRODUCTION = `# Configuration

Written by \`npm run generate -- configuration\` from the \`config.ts\` of each process. A test compares this page with them.

Processes read these variables from the environment when they start. A wrong value stops the start with one line that names
the variable, the value and what is allowed. An empty variable counts as not set.

Every secret \`X\`, and \`IDENTITY_PUBLIC_KEYS\`, can be given as a file instead: \`X_FILE\` is its path, such as
\`DATABASE_URL_FILE=/run/secrets/database-url\`. A newline at the end of the file is cut. The chart gives all of them this way. The
secrets are: ${SECRETS}.

The Helm chart sets them from its [values](../charts/audiosplit/README.md): the last column names the value. A variable without
one goes in \`<component>.env\`, such as \`splitter.env\`.

## \`npm start\` and \`npm run up\`

These variables have other defaults here than in the process that reads them.
`;

const LOCAL_REST = `All settings below hold here, too, with these differences:

- Both make the secrets (\`DOWNLOAD_SECRET\`, \`AUTH_SECRET\`, \`WEBHOOKS_SECRET\`) and the keys of processes at the first start and
  keep them in \`DATA_DIR\`. They choose the ports, internal addresses and scratch folders of their processes.
- \`MAIL_DIR\` is \`mail\` in \`DATA_DIR\`, \`OPERATORS_PORT\` a free port. Both print the address of the
  [operators' console](operations/README.md#the-operators-console) and a credential for it.
- \`npm start\` gives running jobs 4 seconds when it stops. \`npm run up\` has 4 as the default of \`DRAIN_GRACE_SECONDS\`, and 2 as
  that of \`DRAIN_DELAY_SECONDS\`.
- \`npm run up\` shares the CPUs among the splitters and divides long conversions if there are several. It gives each process a port
  for metrics, counting from \`METRICS_PORT\`, which its log names.

Payments go to the sandbox, which moves no money: store the card \`tok_visa\` and subscribe. With \`PAYMENT_PROVIDER=stripe\` they
go to Stripe ([how](decisions/0016-stripe.md)). Prices and limits of a single account are set by operators
([limits of one account](operations/README.md#limits-of-one-account)).
`;

const TITLES: Readonly<Record<keyof typeof OWN_SETTINGS_OF, string>> = {
  gateway: 'Gateway',
  auth: 'Auth',
  account: 'Account',
  billing: 'Billing',
  jobs: 'Jobs',
  splitter: 'Splitter',
  webhooks: 'Webhooks',
  operators: "Operators' console in a process of its own",
};

const SERVICES_REST = `A service also finds each service that it calls by \`<SERVICE>_RPC_URL\`, such as \`BILLING_RPC_URL=http://host:port\`. The chart sets it.
`;

export function renderConfigurationPage(): string {
  const own = Object.entries(OWN_SETTINGS_OF) as [keyof typeof OWN_SETTINGS_OF, Settings][];
  return [
    INTRODUCTION,
    ...tableOf(LOCAL),
    '',
    LOCAL_REST,
    '## Gateway and services\n',
    ...tableOf(PROCESS_SETTINGS),
    '\n## Services\n',
    ...tableOf(SERVICE_SETTINGS),
    '',
    SERVICES_REST,
    own.map(([name, settings]) => [`## ${TITLES[name]}\n`, ...tableOf(settings), ''].join('\n')).join('\n'),
  ].join('\n');
}

function tableOf(settings: Settings): readonly string[] {
  const rows = Object.entries(settings).map(([name, setting]) => {
    const chart = setting.chart === undefined ? '' : `\`${setting.chart}\``;
    return `| \`${name}\` | ${defaultOf(setting)} | ${allowedBy(setting)} | ${setting.what} | ${chart} |`;
  });
  return ['| Variable | Default | Allowed | What it sets | Chart |', '|---|---|---|---|---|', ...rows];
}

function defaultOf(setting: Setting<unknown>): string {
  if (setting.shownDefault !== undefined) return setting.shownDefault;
  if (setting.isRequired) return 'required';
  return (setting.default ?? '') === '' ? 'none' : `\`${setting.default}\``;
}

function allowedBy({ allowed }: Setting<unknown>): string {
  return allowed.replace(/^a (whole number from |URL that begins with |text$)/, '').replaceAll('<', '&lt;');
}

// `npm run generate -- configuration`
if (import.meta.main) await writeFile(CONFIGURATION_PAGE, renderConfigurationPage());
