import type { Command } from '../../../kernel/index.ts';
import { apiCommand, listing } from '../../terminal/contract.ts';
import type { Node } from './routes.ts';

const nodes = apiCommand<{ readonly nodes: readonly Node[] }>({
  path: 'nodes',
  summary: 'list the nodes that share the store',
  route: 'GET /nodes',
  show: ({ nodes }) =>
    listing(
      ['NAME', 'STATE', 'SERVES', 'HEALTH', 'VERSION', 'SINCE', 'BEHIND', 'LEADS'],
      nodes.map(({ name, state, serving, health, version, joined_at, behind, roles = [] }) => [
        ...[name, state, serving ? 'yes' : 'no', health, version, joined_at, String(behind), roles.join(' ')],
      ]),
    ),
  hint: ({ nodes }) => {
    const said = nodes.flatMap(({ name, reason }) => (reason === undefined ? [] : [`${name}: ${reason}`]));
    return said.length === 0 ? undefined : said.join('\n');
  },
});

const leave = apiCommand<Node>({
  path: 'nodes leave',
  summary: 'remove a dead node',
  args: [{ name: 'name', description: 'name of the node' }],
  confirm: 'open runs of the node end as interrupted',
  route: 'POST /nodes/{name}/leave',
  body: ({ args: [name = ''], options: { yes } }) => ({ confirm: yes === true ? name : '' }),
  show: ({ name }) => `${name} is removed; another node completes its open work`,
});

/** Commands of the nodes that share the store. */
export const nodeCommands: readonly Command[] = [nodes, leave];
