import type { Description, Metrics, Scopes } from '../../../kernel/index.ts';
import { adapterIndex } from './adapters.ts';
import { apiIndex } from './api.ts';
import { commandReference } from './cli.ts';
import { configurationReference, pluginReference, variableReference } from './configuration.ts';
import { metricReference, problemReference, scopeReference } from './lists.ts';

/** What a reference page is made from. */
export interface Material {
  readonly description: Description;
  readonly scopes: Scopes;
  readonly metrics: ReturnType<Metrics['list']>;
}

/** What fills the places of pages, by the name that they bear there: Markdown made from the program that runs. */
export const generators: ReadonlyMap<string, (material: Material) => string> = new Map([
  ['adapters', ({ description }) => adapterIndex(description.adapters)],
  ['api', ({ description }) => apiIndex(description.openapi)],
  ['commands', ({ description }) => commandReference(description.commands)],
  ['configuration', ({ description }) => configurationReference(description.settings)],
  ['metrics', ({ metrics }) => metricReference(metrics)],
  ['plugins', ({ description }) => pluginReference(description.plugins)],
  ['problems', ({ description }) => problemReference(description.problems)],
  ['scopes', ({ description, scopes }) => scopeReference(scopes, description.openapi)],
  ['variables', ({ description }) => variableReference(description.variables)],
] satisfies [string, (material: Material) => string][]);
