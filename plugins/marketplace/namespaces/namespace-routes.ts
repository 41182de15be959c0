import { defineRoute, exactly, optional, reply, type Route } from '../../../kernel/index.ts';
import { grant, grantRequest, namespaceName, namespaceSchema, revoke } from './namespaces.ts';
import { problems } from '../problems.ts';
import type { MarketScope } from '../scope.ts';

const managed = { service: 'ledger', scope: 'namespaces:manage' } as const;

/** Makes the routes of `/namespaces`. */
export function namespaceRoutes(scope: MarketScope): readonly Route[] {
  return [listRoute(scope), grantRoute(scope), revokeRoute(scope)];
}

const listRoute = ({ reputation }: MarketScope): Route =>
  defineRoute({
    ...managed,
    method: 'GET',
    path: '/namespaces',
    operationId: 'listNamespaces',
    summary: 'List all namespaces, including revoked ones',
    response: exactly('NamespaceList', {
      namespaces: { type: 'array', description: 'All namespaces', items: namespaceSchema },
    }),
    problems: ['storage_unavailable'],
    async handle() {
      await reputation.settled();
      return { namespaces: reputation.namespaces() };
    },
  });

const grantRoute = (scope: MarketScope): Route =>
  defineRoute({
    ...managed,
    method: 'POST',
    path: '/namespaces',
    operationId: 'grantNamespace',
    live: true,
    summary: 'Grant a namespace, or change its owner or key',
    body: grantRequest,
    response: namespaceSchema,
    status: 201,
    also: [200],
    problems: ['principal_not_found', 'storage_unavailable'],
    async handle({ body, principal }) {
      const { created, namespace } = await grant(body, principal, scope);
      return reply({ status: created ? 201 : 200, body: namespace });
    },
  });

const revokeRoute = (scope: MarketScope): Route =>
  defineRoute({
    ...managed,
    method: 'DELETE',
    path: '/namespaces/{namespace}',
    operationId: 'revokeNamespace',
    live: true,
    summary: 'Revoke a namespace: no one can publish in it, and its Orbs are suspended until it is granted again',
    params: exactly({ namespace: { ...namespaceName, description: 'The namespace' } }),
    query: exactly({
      reason: optional({
        type: 'string',
        minLength: 1,
        maxLength: 500,
        pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]+$',
        examples: ['the owner asked for it'],
        default: 'revoked by the operator',
        description: 'Attested',
      }),
    }),
    response: namespaceSchema,
    problems: [problems.namespace_not_found, 'storage_unavailable'],
    handle: ({ params: { namespace }, query: { reason }, principal }) => revoke(namespace, reason, principal, scope),
  });
