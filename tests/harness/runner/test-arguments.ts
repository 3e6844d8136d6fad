/** Flags of node's test runner whose value may be a separate argument. */
const WITH_VALUE =
  /^--test-(name-pattern|skip-pattern|concurrency|timeout|reporter|reporter-destination|shard)$/;

/** Separates file names, or parts of them, from flags for node's test runner. */
export function parseTestArguments(args: readonly string[]) {
  const names: string[] = [];
  const flags: string[] = [];
  for (const [index, argument] of args.entries()) {
    const isValue = WITH_VALUE.test(args[index - 1] ?? '');
    if (isValue) flags.push(`${flags.pop()}=${argument}`);
    else (argument.startsWith('-') ? flags : names).push(argument);
  }
  return { names, flags };
}
