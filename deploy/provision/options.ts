/** The options of a command: declared once, for the parser and for --help. */
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { messageOf } from '@audiosplit/chassis/errors';
import { StartError } from '@audiosplit/chassis/process/lifecycle';

export interface Option<T> {
  /** Shown for the value in --help; absent for a flag. */
  readonly value?: string;
  /** Given without its name. */
  readonly isArgument?: true;
  readonly help: string;
  readonly read: (name: string, text: string | undefined) => T;
}

export type Options = Readonly<Record<string, Option<unknown>>>;
export type Values<O extends Options> = { readonly [Name in keyof O]: ReturnType<O[Name]['read']> };

export interface OptionsSpec<O extends Options> {
  /** The command as typed, such as `npm run verify -- chaos`. */
  readonly command: string;
  readonly about?: string;
  readonly options: O;
}

export function flag(help: string): Option<boolean> {
  return { help, read: (_name, text) => text !== undefined };
}

export function text(value: string, help: string): Option<string | undefined> {
  return { value, help, read: (_name, given) => given };
}

/** The words of the command line that are not options. */
export function argument(value: string, help: string): Option<string | undefined> {
  return { value, isArgument: true, help, read: (_name, given) => given };
}

export const whole = numeric('whole numbers');
export const decimal = numeric('numbers');

/** Some of these names, separated by commas; undefined means all. */
export function names(
  value: string,
  known: readonly string[],
  help: string,
): Option<readonly string[] | undefined> {
  return {
    value: `${value},…`,
    help: `${help}: ${known.join(', ')}`,
    read(name, given) {
      const chosen = given?.split(',');
      const unknown = chosen?.find((each) => !known.includes(each));
      if (unknown === undefined) return chosen;
      throw new StartError(`${name} does not know ${JSON.stringify(unknown)}; there are ${known.join(', ')}`);
    },
  };
}

/** One of these names. */
export function choice<T extends string>(
  value: string,
  known: readonly T[],
  help: string,
): Option<T | undefined> {
  return {
    value,
    help: `${help}: ${known.join(' or ')}`,
    read(name, given) {
      const chosen = known.find((each) => each === given);
      if (chosen !== undefined || given === undefined) return chosen;
      throw new StartError(`${name} does not know ${JSON.stringify(given)}; there are ${known.join(', ')}`);
    },
  };
}

/** Throws StartError, with a message of one line. */
export function parseOptions<O extends Options>(
  { command, options }: OptionsSpec<O>,
  args: readonly string[],
): Values<O> & { readonly help: boolean } {
  const entries = Object.entries(options);
  const argumentName = entries.find(([, { isArgument }]) => isArgument)?.[0];
  const types = entries
    .filter(([name]) => name !== argumentName)
    .map(([name, { value }]) => [name, { type: value === undefined ? 'boolean' : 'string' }] as const);
  const config = {
    args: [...args],
    options: Object.fromEntries([...types, ['help', { type: 'boolean' }] as const]),
    allowPositionals: argumentName !== undefined,
  };
  const given = parse(config, command);
  const read = entries.map(([name, option]) => {
    const value = name === argumentName ? given.argument : given.values[name];
    return [name, option.read(`--${name}`, value === undefined ? undefined : String(value))];
  });
  return { ...Object.fromEntries(read), help: given.values.help === true };
}

export function helpOf<O extends Options>({ command, about, options }: OptionsSpec<O>): string {
  const lines = Object.entries(options).map(([name, { value = '', isArgument, help }]) => {
    const usage = isArgument ? value : `--${name} ${value}`;
    return `  ${usage.padEnd(20)}  ${help}\n`;
  });
  const argument = Object.values(options).find(({ isArgument }) => isArgument)?.value;
  const argumentUsage = argument === undefined ? '' : ` ${argument}`;
  const optionsUsage = Object.values(options).some(({ isArgument }) => !isArgument) ? ' [options]' : '';
  return `Usage: ${command}${argumentUsage}${optionsUsage}\n\n${about === undefined ? '' : `${about}\n\n`}${lines.join('')}`;
}

function numeric(kind: 'whole numbers' | 'numbers') {
  return <T extends number | undefined>(
    { least, most }: { readonly least: number; readonly most: number },
    fallback: T,
    help: string,
  ): Option<number | T> => ({
    value: 'N',
    help: fallback === undefined ? help : `${help} (${fallback})`,
    read(name, given) {
      if (given === undefined) return fallback;
      const value = Number(given);
      const isFit = kind === 'numbers' || /^\d+$/.test(given);
      if (given.trim() !== '' && isFit && value >= least && value <= most) return value;
      throw new StartError(`${name} is ${JSON.stringify(given)}; allowed: ${least} to ${most}, ${kind}`);
    },
  });
}

function parse(config: ParseArgsConfig, command: string) {
  try {
    const { values, positionals } = parseArgs(config);
    return { values, argument: positionals.length === 0 ? undefined : positionals.join(' ') };
  } catch (error) {
    throw new StartError(`${messageOf(error).split('. ')[0]}; see ${command} --help`);
  }
}
