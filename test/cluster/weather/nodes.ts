import type { Cluster } from '../../helpers/cluster.ts';

interface NodeRow {
  readonly node: string;
  readonly incarnation: string;
  readonly state: string;
}

/** Reads the nodes as the database knows them. */
export async function nodesOf({ database, postgres }: Cluster): Promise<readonly NodeRow[]> {
  const client = await postgres.client(database);
  const { rows } = await client.query<NodeRow>('SELECT node, incarnation, state FROM kernel_nodes ORDER BY node');
  await client.end();
  return rows;
}

/** Reads the state of one node. */
export async function stateOf(cluster: Cluster, name: string): Promise<string> {
  return (await nodesOf(cluster)).find(({ node }) => node === name)?.state ?? '';
}

/** Names the processes that live: the same as before when nobody was adopted and nobody started again. */
export async function incarnationsOf(cluster: Cluster): Promise<readonly string[]> {
  return (await nodesOf(cluster)).filter(({ state }) => state === 'live').map(({ incarnation }) => incarnation);
}
