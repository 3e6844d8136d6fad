import { type Node, parse } from 'acorn';

/**
 * Makes every branch of a module count how often it was taken: function bodies, both sides of conditions, the
 * right sides of `&&`, `||` and `??`, loop bodies, cases and catch blocks. Lines stay where they were.
 */
interface InstrumentedModule {
  readonly code: string;
  readonly branchCount: number;
}

/** The global array of counters; branch `n` of a module adds to `firstBranch + n`. */
export const COUNTERS_NAME = '__fuzzBranchCounters';

export function instrument(source: string, firstBranch: number): InstrumentedModule {
  const insertions: { readonly at: number; readonly text: string }[] = [];
  let branchCount = 0;

  function insert(at: number, text: string): void {
    insertions.push({ at, text });
  }

  function visit(node: Node): void {
    const arms = armsOf(node);
    for (const child of childrenOf(node)) {
      const kind = arms.get(child);
      if (kind === undefined) {
        visit(child);
        continue;
      }
      const count = `${COUNTERS_NAME}[${firstBranch + branchCount}]++`;
      branchCount += 1;
      if (child.type === 'BlockStatement' && kind !== 'before') {
        insert(child.start + 1, `${count};`);
        visit(child);
        continue;
      }
      const [opening, closing] = BRACKETS[kind];
      insert(child.start, opening.replace('#', count));
      visit(child);
      insert(child.end, closing);
    }
  }

  visit(parse(source, { ecmaVersion: 'latest', sourceType: 'module' }));
  // A stable sort: what was noted first stands first, so that brackets close in the order they were opened.
  insertions.sort((a, b) => a.at - b.at);
  const parts = [`const ${COUNTERS_NAME} = globalThis.${COUNTERS_NAME};`];
  let end = 0;
  for (const { at, text } of insertions) {
    parts.push(source.slice(end, at), text);
    end = at;
  }
  parts.push(source.slice(end));
  return { code: parts.join(''), branchCount };
}

type ArmKind = 'expression' | 'statement' | 'before';

const BRACKETS: Readonly<Record<ArmKind, readonly [string, string]>> = {
  expression: ['(#,', ')'],
  statement: ['{#;', '}'],
  before: ['#;', ''],
};

/** The children that are run only if something holds. */
function armsOf(node: Node): ReadonlyMap<unknown, ArmKind> {
  const fields = fieldsOf(node);
  switch (node.type) {
    case 'IfStatement':
      return armMap('statement', fields.consequent, fields.alternate);
    case 'ForStatement':
    case 'ForInStatement':
    case 'ForOfStatement':
    case 'WhileStatement':
    case 'DoWhileStatement':
    case 'CatchClause':
      return armMap('statement', fields.body);
    case 'ConditionalExpression':
      return armMap('expression', fields.consequent, fields.alternate);
    case 'LogicalExpression':
      return armMap('expression', fields.right);
    case 'AssignmentExpression':
      return SHORT_CIRCUITS.has(String(fields.operator)) ? armMap('expression', fields.right) : new Map();
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
      return armMap('expression', fields.body);
    case 'SwitchCase':
      return armMap('before', Array.isArray(fields.consequent) ? fields.consequent[0] : undefined);
    default:
      return new Map();
  }
}

const SHORT_CIRCUITS: ReadonlySet<string> = new Set(['&&=', '||=', '??=']);

function armMap(kind: ArmKind, ...arms: readonly unknown[]): ReadonlyMap<unknown, ArmKind> {
  return new Map(arms.filter((arm) => arm !== null && arm !== undefined).map((arm) => [arm, kind]));
}

function fieldsOf(node: Node): Readonly<Record<string, unknown>> {
  return { ...node };
}

function childrenOf(node: Node): readonly Node[] {
  return Object.values(node).flat().filter(isNode);
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}
