import { alignColumns } from '../table.ts';
import { type ActionOption, type Actions, COMMON_OPTIONS } from './action.ts';

export function actionsHelp(command: string, actions: Actions): string {
  const rows = Object.entries(actions).map(([name, { operands, help }]) => [
    `  ${['audiosplit', command, name, ...operands].filter((word) => word !== '').join(' ')}`,
    help,
  ]);
  const own = Object.assign({}, ...Object.values(actions).map(({ options }) => options));
  return `Usage:

${alignColumns(rows)}

Options:

${optionRows({ ...own, ...COMMON_OPTIONS })}

Leaves with 0, 1 when a call or a job failed, 2 when called wrongly, 130 after Ctrl-C.
`;
}

function optionRows(options: Readonly<Record<string, ActionOption>>): string {
  return alignColumns(
    Object.entries(options).map(([name, { value, help }]) => [
      `  --${name}${value === undefined ? '' : ` ${value}`}`,
      help,
    ]),
  );
}
