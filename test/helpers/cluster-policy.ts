import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { shippedFolder } from '../../plugins/policy/shipped.ts';
import { mailOf, type Answered, type Cluster, type ClusterNode } from './cluster.ts';
import { until } from './until.ts';

/** A policy that denies a mail with a subject. */
export const denying = (name: string, subject: string = name): string => `package orb.policies.${name}

deny contains "no ${subject}" if {
	input.action.name == "execute"
	input.context.inputs.subject == "${subject}"
}
`;

/** What a node answers about its policies. */
export interface PolicyStatus {
  readonly health: string;
  readonly revision: string;
  readonly policies: number;
  readonly compiler_running: boolean;
  readonly rejected: {
    readonly diagnostics: readonly { readonly code: string; readonly message: string; readonly file?: string }[];
  } | null;
  readonly folder: { readonly equal_to: string | null; readonly read_only: boolean };
}

/** A problem, or what a change of the policies answers. */
export interface PolicyAnswer {
  readonly code?: string;
  readonly detail?: string;
  readonly revision?: string;
}

/** The folder of a node. */
export const folderOf = ({ served }: Pick<ClusterNode, 'served'>): string => join(served.home, 'policies');

/** Copies the shipped policies into a home. */
export function copyShipped(home: string): void {
  cpSync(shippedFolder, join(home, 'policies'), { recursive: true });
}

/** Asks nodes about policies. */
export function policiesOf(cluster: () => Cluster) {
  const call = <T = PolicyAnswer>(node: ClusterNode, method: string, path: string, body?: object, headers = {}) =>
    cluster().call<T>(node, method, path, { ...(body === undefined ? {} : { body }), headers });
  const status = async (node: ClusterNode): Promise<PolicyStatus> =>
    (await call<PolicyStatus>(node, 'GET', '/policies/-/status')).body;
  return {
    call,
    status,
    /** Sends a mail with a subject; answers the HTTP status. */
    said: async (node: ClusterNode, subject: string): Promise<number> =>
      (await call(node, 'POST', '/orbisets/default/execute', mailOf(subject))).status,
    async draft(node: ClusterNode, id: string, source: string): Promise<void> {
      const { status: code, body } = await call(node, 'PUT', `/policies/${id}`, { source });
      expect([200, 201], JSON.stringify(body)).to.include(code);
    },
    activate: (node: ClusterNode, body: object = {}): Promise<Answered<PolicyAnswer>> =>
      call(node, 'POST', '/policies/-/activate', body),
    /** Waits until the status of a node fits. */
    until: (node: ClusterNode, what: string, fits: (found: PolicyStatus) => boolean): Promise<PolicyStatus> =>
      until(() => status(node), fits, `${what} (${node.name})`),
  };
}
