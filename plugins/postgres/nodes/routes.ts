import {
  defineProblems,
  defineRoute,
  exactly,
  optional,
  PlatformError,
  timestamp,
  unfit,
  type Infer,
  type Route,
} from '../../../kernel/index.ts';
import type { NodeView, Peers } from '../../../kernel/engine.ts';
import { differing } from './alike.ts';

/** Schema of a node. */
export const node = exactly('Node', {
  name: { type: 'string', description: 'ORB_NODE, or the name in its state dir' },
  incarnation: { type: 'string', description: 'Id of its current start: 16 hex digits' },
  state: {
    enum: ['live', 'left', 'dead'],
    description: '`left`: it stopped; `dead`: another node took over its work',
  },
  serving: { type: 'boolean', description: 'Whether it accepts requests' },
  health: { enum: ['up', 'degraded', 'down'], description: '`down`: it does not serve; `degraded`: see `reason`' },
  reason: optional({ type: 'string', description: 'Why it is degraded' }),
  version: { type: 'string', description: 'Version of its program' },
  joined_at: { type: 'string', format: 'date-time', description: 'When it started' },
  lease_until: optional({
    type: 'string',
    format: 'date-time',
    description: 'Its lease expires then unless it renews it',
  }),
  roles: optional({
    type: 'array',
    items: { type: 'string' },
    description: 'Work that only this node does now; absent with one node',
  }),
  behind: { type: 'integer', minimum: 0, description: 'Changes by other nodes that it has not applied yet' },
});
const nodeList = exactly('NodeList', {
  nodes: { type: 'array', description: 'By name', items: node },
});

/** Problems of nodes. */
export const problems = defineProblems({
  node_not_found: { status: 404, title: 'There is no such node' },
  node_alive: { status: 409, title: 'The node is still alive' },
});

/** A node as answers show it. */
export type Node = Infer<typeof node>;

/** Makes the routes `/nodes` and `/nodes/{name}/leave`. */
export function nodeRoutes(peers: Peers): readonly Route[] {
  return [listNodes(peers), dismissNode(peers)];
}

const listNodes = (peers: Peers): Route =>
  defineRoute({
    method: 'GET',
    path: '/nodes',
    operationId: 'listNodes',
    service: 'shared',
    scope: 'nodes:read',
    summary: 'List the nodes that share the store',
    response: nodeList,
    handle: async () => {
      const nodes = await peers.nodes();
      const odd = differing(nodes);
      return { nodes: nodes.map((one) => shown(one, odd.has(one.name))) };
    },
  });

function shown({ config: _, joined_at, lease_until, roles, ...rest }: NodeView, differs: boolean): Node {
  const reason = 'its providers, bindings, plugins or limits differ from the other nodes';
  return {
    ...rest,
    health: !rest.serving ? 'down' : differs ? 'degraded' : 'up',
    ...(rest.serving && differs ? { reason } : {}),
    ...(roles === undefined ? {} : { roles: [...roles] }),
    joined_at: timestamp(joined_at),
    ...(lease_until === null ? {} : { lease_until: timestamp(lease_until) }),
  };
}

const dismissNode = (peers: Peers): Route =>
  defineRoute({
    method: 'POST',
    path: '/nodes/{name}/leave',
    operationId: 'dismissNode',
    service: 'runtime',
    scope: 'nodes:manage',
    live: true,
    keyAgain: true,
    summary: 'Remove a dead node and take over its work',
    params: exactly({ name: { type: 'string', maxLength: 64, description: 'Name of the node' } }),
    body: exactly('NodeDismissal', {
      confirm: { type: 'string', maxLength: 64, description: 'The name again, as confirmation: this cannot be undone' },
    }),
    response: node,
    problems: [problems.node_not_found, problems.node_alive, 'invalid_body'],
    handle: async ({ params: { name }, body: { confirm } }) => {
      if (confirm !== name) {
        const detail = `send the name ${name} as \`confirm\`: open work of the node ends as interrupted`;
        throw unfit('invalid_body', 'confirm', detail);
      }
      const found = await peers.dismiss(name);
      if (found === undefined)
        throw new PlatformError(problems.node_not_found, `there is no node ${name}; GET /nodes lists them`);
      if (found.state === 'live')
        throw new PlatformError(problems.node_alive, `the node ${name} is still alive; stop it first`);
      return shown(found, false);
    },
  });
