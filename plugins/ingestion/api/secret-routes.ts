import { defineRoute, exactly, optional, type Route } from '../../../kernel/index.ts';
import { secretWish } from '../sources/settings/secret-schema.ts';
import { findSource } from '../sources/source-admin.ts';
import { changesSource, setupOf, setupSchema, type SourceRoutesScope } from './scope.ts';
import { problems } from '../problems.ts';

const addedSecret = exactly('AddedSecret', {
  version: { type: 'integer', description: 'Number of the secret' },
  secret: optional({ type: 'string', description: 'Shown only here; absent: the request set it' }),
});

const newAddress = exactly('NewAddress', {
  token: { type: 'string', description: 'Part of the URL; shown only here' },
  url: { type: 'string', description: 'URL for the vendor' },
  setup: { ...setupSchema, description: 'What to enter at the vendor' },
});

const secretParams = exactly({
  ...changesSource.params.properties,
  version: { type: 'integer', minimum: 1, description: 'Number of the secret' },
});

/** Makes the routes of a source's secrets and of its address. */
export function secretRoutes(scope: SourceRoutesScope): readonly Route[] {
  return [addRoute(scope), removeRoute(scope), tokenRoute(scope)];
}

const addRoute = ({ intake, admin }: SourceRoutesScope): Route =>
  defineRoute({
    ...changesSource,
    method: 'POST',
    path: '/sources/{source_id}/secrets',
    operationId: 'addSourceSecret',
    summary: 'Add a secret, at most three; the URL stays the same',
    body: secretWish,
    response: addedSecret,
    showsSecret: true,
    status: 201,
    problems: [problems.source_not_found, problems.secret_limit],
    async handle({ params, body }) {
      const { version, secret } = await admin.addSecret(findSource(intake.registry, params.source_id), body);
      return body.secret === undefined ? { version, secret } : { version };
    },
  });

const removeRoute = ({ intake, admin }: SourceRoutesScope): Route =>
  defineRoute({
    ...changesSource,
    method: 'DELETE',
    path: '/sources/{source_id}/secrets/{version}',
    operationId: 'removeSourceSecret',
    summary: 'Remove a secret; the last one cannot be removed',
    params: secretParams,
    problems: [problems.source_not_found, problems.secret_limit],
    handle: ({ params }) => admin.removeSecret(findSource(intake.registry, params.source_id), params.version),
  });

const tokenRoute = ({ intake, admin, publicUrl }: SourceRoutesScope): Route =>
  defineRoute({
    ...changesSource,
    method: 'POST',
    path: '/sources/{source_id}/token',
    operationId: 'renewSourceToken',
    summary: 'Give the source a new URL; the old one answers 404 at once',
    response: newAddress,
    showsSecret: true,
    status: 201,
    async handle({ params }) {
      const source = findSource(intake.registry, params.source_id);
      const token = await admin.readdress(source);
      return { token, url: `${publicUrl}/hooks/${token}`, setup: setupOf(source, { publicUrl, token }) };
    },
  });
