import { defineRoute, exactly, type Principal, type Route, type Scopes } from '../../../kernel/index.ts';
import { refuseGrant } from './grant.ts';

/** Schema of a scope that a key can have. */
export const listedScope = exactly({
  scope: { type: 'string', description: 'Name of the scope' },
  title: { type: 'string', description: 'What it allows' },
  narrowable: { type: 'boolean', description: 'Can be limited to Orbs: `orbs:execute:notify.*`' },
  installation: { type: 'boolean', description: 'It affects more than one tenant: only a key with `*` can grant it' },
  grantable: { type: 'boolean', description: 'Your key can grant it' },
});

const scopeList = exactly('ScopeList', {
  scopes: { type: 'array', description: 'Sorted by name; `*` includes all', items: listedScope },
});

/** Makes the route that lists the scopes a key can have. */
export const scopesRoute = ({ scopes }: { readonly scopes: Scopes }): Route =>
  defineRoute({
    method: 'GET',
    path: '/keys/scopes',
    operationId: 'listScopes',
    service: 'runtime',
    scope: 'keys:manage',
    summary: 'List the scopes of the installation, and which of them your key can grant',
    response: scopeList,
    handle: ({ principal }) => ({
      scopes: [
        everything(principal, scopes),
        ...Object.keys(scopes)
          .sort()
          .map((name) => shown(name, principal, scopes)),
      ],
    }),
  });

const everything = (principal: Principal, known: Scopes): object => ({
  ...{ scope: '*', title: 'Everything, in all tenants', narrowable: false, installation: true },
  grantable: mayGrant('*', principal, known),
});

function shown(scope: string, principal: Principal, known: Scopes): object {
  const { title = '', narrowable = false, installation = false } = known[scope] ?? {};
  return { scope, title, narrowable, installation, grantable: mayGrant(scope, principal, known) };
}

function mayGrant(scope: string, principal: Principal, known: Scopes): boolean {
  const { tenant, mode } = principal;
  return refuseGrant(principal, { scopes: [scope], tenant, mode }, known) === undefined;
}
