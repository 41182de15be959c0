import type { Answered } from '../../../kernel/index.ts';
import { apiCommand, listing, optionsOf } from '../../terminal/contract.ts';
import type { providerHealth } from './route.ts';

/** `orb providers health`: lists the changes of the health of a provider, with reasons. */
export const showHealth = apiCommand<Answered<typeof providerHealth>>({
  path: 'providers health',
  summary: 'list the changes of the health of a provider, with reasons',
  args: [{ name: 'name', description: 'name of the provider, for example smtp-main' }],
  options: optionsOf({ '--step <step>': 'hour: of the last day; day: of the last 30 days' }),
  route: 'GET /providers/{name}/health',
  show: ({ changes }) =>
    listing(
      ['TIME', 'HEALTH', 'THEN', 'NODE', 'REASON'],
      changes.map(({ at, health, now = health, node = '', reason = '' }) => [at, health, now, node, reason]),
    ),
});
