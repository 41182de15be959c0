import { exactly, type Infer } from '../../kernel/index.ts';
import { statementType } from '../receipts/contract.ts';

/** Name of the release log. It is fixed: a verifier does not take it from what it verifies. */
export const releaseLog = 'agent-orb-platform/releases';
/** Name of the signed statement in the folder of a release. */
export const statementFile = 'release.json';
/** Name of the statement's proof in the release log. */
export const proofFile = 'release.tlog-proof';
/** Name of the statement of a release that was built without a release key. */
export const unsignedFile = 'release.unsigned.json';
/** The files in the folder of a release that are no subjects of its statement. */
export const statementFiles: readonly string[] = [statementFile, proofFile, unsignedFile];
/** Name of the folder of the release log, next to the folders of the releases. */
export const logFolder = 'log';

/** `buildType` of the provenance: `npm run release` of a commit. */
export const buildType = 'urn:agent-orb:release:v1';
/** Type of the predicate: SLSA provenance v1. */
export const provenanceType = 'https://slsa.dev/provenance/v1';

const text = (description: string) => ({ type: 'string', minLength: 1, description }) as const;
const hex = (description: string, digits: number) =>
  ({ type: 'string', pattern: `^[0-9a-f]{${digits}}$`, description }) as const;
const named = (description: string) =>
  ({ type: 'object', description, additionalProperties: { type: 'string' } }) as const;
// Readers of in-toto and SLSA ignore members that they do not know.
const open = <const M extends object>(members: M) => ({ ...exactly(members), additionalProperties: true }) as const;

/** Schema of the statement of a release: in-toto v1 with a SLSA provenance v1 predicate. */
export const statementSchema = open({
  _type: { const: statementType, description: 'Type of the statement' },
  subject: {
    type: 'array',
    minItems: 1,
    description: 'All files of the release but those of the statement',
    items: open({
      name: text('Path below the folder of the release'),
      digest: open({ sha256: hex('SHA-256', 64), sha512: hex('SHA-512', 128) }),
    }),
  },
  predicateType: { const: provenanceType, description: 'Type of the predicate' },
  predicate: open({
    buildDefinition: open({
      buildType: { const: buildType, description: 'How it is built' },
      externalParameters: open({ version: text('Version of the program'), commit: hex('Commit of the source', 40) }),
      internalParameters: open({ source_date_epoch: { type: 'integer', description: 'Time of the commit, seconds' } }),
      resolvedDependencies: {
        type: 'array',
        description: 'The source, and its files that pin what the build takes from elsewhere',
        items: open({ name: text('Name, or path in the source'), digest: named('Digests, hex') }),
      },
    }),
    runDetails: open({ builder: open({ id: text('What built it'), version: named('Versions of its tools') }) }),
  }),
});
/** The statement of a release. */
export type ReleaseStatement = Infer<typeof statementSchema>;
/** One file of a release. */
export type Subject = ReleaseStatement['subject'][number];
