import {
  defineRoute,
  exactly,
  optional,
  PlatformError,
  reply,
  type Reply,
  type Route,
} from '../../../../kernel/index.ts';
import type { OrbReputation, UnmetGate } from '../../contract.ts';
import { certificateContext } from './context.ts';
import { schemaDocument, schemaPath } from '../format/credential-schema.ts';
import { didDocument } from '../format/did.ts';
import { listTtlMs } from '../format/status-list.ts';
import { verifyRoute } from '../verify-service/route.ts';
import type { IssueScope } from '../issue/scope.ts';
import type { OwnRegister } from '../verify-service/register.ts';
import { openHeaders, type MaySee } from './access.ts';
import { problems } from '../../problems.ts';
import { orbIdOrName } from '../../../runtime/contract.ts';
import { certificateAnswer, copiesOf, credentialType } from '../format/answer.ts';
import { statusAt } from '../issue/plan.ts';
import type { StoredCertificate } from '../issue/tables.ts';

/** What showing certificates needs. */
export interface CertificateScope extends IssueScope {
  readonly maySee: MaySee;
  readonly register: OwnRegister;
}

const open = { method: 'GET', service: 'ledger', public: true } as const;
const hour = 3_600;
// A change of status shows here as soon as in the status lists.
const shownSeconds = listTtlMs / 1000;

/** Makes the routes of certificates and of the documents that a verifier needs. */
export function certificateRoutes(scope: CertificateScope): readonly Route[] {
  return [
    certificateOfOrb(scope),
    certificateById(scope),
    statusList(scope),
    verifyRoute(scope.register),
    didRoute(scope),
    ...fixedDocuments(scope),
  ];
}

const certificateOfOrb = ({ clock, maySee, reads, reputation }: CertificateScope): Route =>
  defineRoute({
    ...open,
    path: '/reputation/{orb_id}/certificate',
    operationId: 'getCertificateOfOrb',
    optionalKey: true,
    summary: 'Read the newest certificate of an Orb, whatever its status',
    params: exactly({ orb_id: { ...orbIdOrName, description: 'Id of the Orb' } }),
    query: exactly({
      format: optional({ enum: ['json', 'vc'], default: 'json', description: 'vc: only the Verifiable Credential' }),
    }),
    response: certificateAnswer,
    forms: { [credentialType]: { type: 'object', additionalProperties: true } },
    problems: ['orb_not_found', problems.certificate_not_issued],
    async handle(call) {
      const orb_id = reputation.versionOf(call.params.orb_id);
      if (!maySee(orb_id, call)) throw new PlatformError('orb_not_found', `there is no published Orb ${orb_id}`);
      const newest = await reads.newest(orb_id);
      if (newest === undefined) throw notIssued(reputation.get(orb_id));
      const headers = openHeaders(shownSeconds, call);
      if (call.query.format === 'vc')
        return reply({ type: credentialType, body: JSON.stringify(newest.document), headers });
      return reply({ body: answerOf(newest, clock.now()), headers });
    },
  });

function answerOf(stored: StoredCertificate, now: number): object {
  const { document } = stored;
  const { verification, ...copies } = copiesOf(document);
  const how =
    `Save the member credential as certificate.json and both status lists, then: orb certificate verify ` +
    `certificate.json --issuer ${verification.did} --keys jwks.json --status-list revocation.json --status-list ` +
    `suspension.json, with jwks.json from /.well-known/jwks.json.` +
    (verification.bound_to_host
      ? ''
      : ' The issuer is not bound to a host: learn its key from the operator, not from here.');
  return { ...copies, status: statusAt(stored, now), verification: { ...verification, how }, credential: document };
}

function notIssued({ orb_id, next_tier }: OrbReputation): PlatformError {
  const { tier = 'bronze', unmet = [] } = next_tier ?? {};
  // An Orb that is in no snapshot has no measurements yet.
  const gates = unmet.length > 0 ? unmet : [firstSnapshot];
  const wanting = gates.map(({ detail }) => detail).join('; ');
  const why = `${orb_id} has never had a certificate; ${tier} needs: ${wanting}`;
  return new PlatformError(problems.certificate_not_issued, why, { reasons: gates.map((gate) => ({ tier, ...gate })) });
}

const firstSnapshot: UnmetGate = {
  gate: 'snapshot',
  needed: 'a daily snapshot with counted runs of the Orb',
  present: 'none',
  detail: 'a first daily snapshot, taken after midnight UTC, with counted runs of the Orb',
};

// Answers a document that any web page may read and cache for `seconds`; `text` is sent unchanged.
function openDocument(type: string, text: string, seconds: number): Reply {
  const headers = { 'Cache-Control': `public, max-age=${seconds}`, 'Access-Control-Allow-Origin': '*' };
  return reply({ type, body: text, headers });
}

const certificateById = ({ reads }: CertificateScope): Route =>
  defineRoute({
    ...open,
    path: '/certificates/{id}',
    operationId: 'getCertificate',
    summary: 'Read a certificate as a Verifiable Credential',
    params: exactly({ id: { type: 'string', maxLength: 64, description: '`crt_<ulid>`' } }),
    produces: credentialType,
    problems: [problems.certificate_not_found],
    async handle({ params: { id } }) {
      const found = await reads.find(id);
      if (found === undefined) throw new PlatformError(problems.certificate_not_found, `there is no certificate ${id}`);
      return openDocument(credentialType, JSON.stringify(found.document), hour);
    },
  });

const statusList = ({ lists }: CertificateScope): Route =>
  defineRoute({
    ...open,
    path: '/status-lists/{n}',
    operationId: 'getStatusList',
    summary: 'Read a signed list of revoked or suspended certificates',
    params: exactly({ n: { type: 'integer', minimum: 1, maximum: 1_000_000, description: 'Number of the list' } }),
    produces: credentialType,
    problems: [problems.certificate_not_found],
    async handle({ params: { n } }) {
      const text = await lists.get(n);
      if (text === undefined) throw new PlatformError(problems.certificate_not_found, `there is no status list ${n}`);
      return openDocument(credentialType, text, shownSeconds);
    },
  });

const didRoute = ({ issuer, publicUrl, signer }: CertificateScope): Route =>
  defineRoute({
    ...open,
    path: '/.well-known/did.json',
    operationId: 'getDidDocument',
    summary: 'Read the DID document of the issuer of certificates, with its old keys',
    produces: 'application/did+json',
    handle: () =>
      openDocument(
        'application/did+json',
        JSON.stringify(didDocument(publicUrl, issuer.identity(), signer.keys())),
        300,
      ),
  });

function fixedDocuments({ publicUrl }: CertificateScope): readonly Route[] {
  const document = (facts: Pick<Route, 'operationId' | 'path' | 'summary'>, type: string, value: object): Route => {
    const text = JSON.stringify(value);
    return defineRoute({
      ...{ ...open, ...facts, produces: type, problems: [] },
      handle: () => openDocument(type, text, hour),
    });
  };
  const context = {
    path: '/contexts/orb-cert/v1',
    operationId: 'getCertificateContext',
    summary: 'Read the JSON-LD context of certificates',
  };
  const schema = {
    path: schemaPath,
    operationId: 'getCertificateSchema',
    summary: 'Read the JSON Schema of certificates',
  };
  return [
    document(context, 'application/ld+json', certificateContext),
    document(schema, 'application/schema+json', schemaDocument(publicUrl)),
  ];
}
