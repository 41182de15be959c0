import type { Scopes } from '../access.ts';
import { ConfigError } from '../error.ts';
import { problemsOf } from '../http/route/route-problem.ts';
import type { Route } from '../http/route/route.ts';
import type { ProblemTable } from '../problem-table.ts';

/** Throws unless each route is public, or names scopes that are declared. */
export function checkScopes(routes: readonly Route[], known: Scopes): void {
  for (const { method, path, scope, public: open, anyKey } of routes) {
    if (open === true || anyKey === true) continue;
    const named = scope === undefined ? [] : [scope].flat();
    if (named.length === 0 || named.some((name) => known[name] === undefined))
      throw new Error(
        `${method} ${path} must name scopes that exist, or be public; it names ${named.join(', ') || 'none'}`,
      );
  }
}

/** Throws ConfigError when a route names an undeclared problem. */
export function checkProblems(routes: readonly Route[], table: ProblemTable): void {
  const faults = routes.flatMap((route) =>
    problemsOf(route)
      .filter((code) => !table.has(code))
      .map((code) => `${route.method} ${route.path}: names the problem ${code}, which no plugin declares`),
  );
  if (faults.length > 0) throw new ConfigError(faults);
}
