import type { Description, Metrics, Scopes } from '../../../kernel/index.ts';
import { addressOf } from '../page.ts';
import { operationsOf } from './operation.ts';
import { code, table, words } from './table.ts';

/** Lists every scope with its reach and the routes that need it. */
export function scopeReference(scopes: Scopes, openapi: object): string {
  const operations = operationsOf(openapi);
  const rows = byName(scopes).map(([name, { title, installation, narrowable }]) => [
    code(name),
    words(title),
    installation === true ? 'installation' : 'tenant',
    narrowable === true ? 'yes' : 'no',
    operations
      .filter(({ access }) => access.scopes.includes(name))
      .map((operation) => `[${code(operation.title)}](${addressOf(operation.page)})`)
      .join(', '),
  ]);
  return table(['Scope', 'Meaning', 'Reach', 'Narrowed', 'Routes'], rows);
}

/** Lists every problem in the order of statuses. */
export function problemReference(problems: Description['problems']): string {
  const rows = problems.map((problem) => [
    code(problem.code),
    String(problem.status),
    words(problem.title),
    problem.retryable ? 'yes' : 'no',
  ]);
  return table(['Code', 'Status', 'Title', 'Retryable'], rows);
}

/** Lists every metric of the platform; metrics of the process have the standard names of Prometheus. */
export function metricReference(metrics: ReturnType<Metrics['list']>): string {
  const own = metrics.filter(({ name }) => !/^orb_(process|nodejs)_/.test(name));
  return table(
    ['Metric', 'Type', 'Meaning'],
    own.map(({ name, type, help }) => [code(name), type, words(help)]),
  );
}

function byName<T>(items: Readonly<Record<string, T>>): [string, T][] {
  return Object.entries(items).sort(([one], [other]) => (one < other ? -1 : 1));
}
