/**
 * Lists the methods of a path, for 405 and its Allow header. The router does not distinguish a wrong method from an
 * unknown path.
 */
export interface RoutesByPath {
  add(pattern: string, methods: readonly string[]): void;
  /**
   * Considers the matching patterns with the most literal segments, as the router does. Empty for an unknown
   * path.
   */
  methodsAt(path: string): string[];
}

export function createRoutesByPath(): RoutesByPath {
  const routes: { readonly segments: readonly string[]; readonly methods: readonly string[] }[] = [];
  return {
    add: (pattern, methods) => void routes.push({ segments: pattern.split('/'), methods }),
    methodsAt(path) {
      const given = path.split('/');
      const matching = routes.filter((route) => matches(route.segments, given));
      const most = Math.max(...matching.map(({ segments }) => literalCount(segments)));
      const nearest = matching.filter(({ segments }) => literalCount(segments) === most);
      return [...new Set(nearest.flatMap((route) => route.methods))].sort();
    },
  };
}

function literalCount(pattern: readonly string[]): number {
  return pattern.filter((segment) => segment !== '*' && !segment.startsWith(':')).length;
}

function matches(pattern: readonly string[], given: readonly string[]): boolean {
  const isOpenEnded = pattern.at(-1) === '*';
  if (isOpenEnded ? given.length < pattern.length : given.length !== pattern.length) return false;
  return pattern.every((segment, index) => {
    if (segment === '*') return true;
    return segment.startsWith(':') ? given[index] !== '' : segment === given[index];
  });
}
