import { exactly, optional, type Infer } from '../../../kernel/index.ts';
import { orbId } from '../../runtime/contract.ts';

const text = (maxLength: number) => ({ type: 'string', maxLength }) as const;
const label = '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$';

// Schema of a DSSE envelope over a manifest.
const manifestSignature = exactly({
  payloadType: { ...text(200), description: 'Media type of the payload' },
  payload: { ...text(900_000), description: 'base64 of the manifest in canonical form (RFC 8785)' },
  signatures: {
    type: 'array',
    minItems: 1,
    maxItems: 8,
    description: 'Signatures of the payload',
    items: exactly({
      keyid: optional({ ...text(200), description: 'Id of the key' }),
      sig: { ...text(200), description: 'base64, Ed25519 over the PAE' },
    }),
  },
});

/** Schema of the body that publishes an Orb. The rules check the lengths, so that one answer lists all faults. */
export const publishRequest = exactly('PublishRequest', {
  orb_id: { ...orbId, description: 'The Orb to publish: known to this installation' },
  listing: optional({
    description:
      'Texts of the listing that differ from the manifest; absent: as published before, else from the manifest',
    ...exactly({
      title: optional({ ...text(200), description: 'Default: the title of the manifest' }),
      description: optional({
        ...text(2000),
        description: '1 to 100 characters. Default: the description of the manifest',
      }),
      readme: optional({ ...text(200_000), description: 'Markdown, at most 64 KB' }),
      category: optional({ ...text(64), pattern: label, description: 'Default: the capability of the manifest' }),
      tags: optional({
        type: 'array',
        maxItems: 10,
        uniqueItems: true,
        description: 'Tags for search',
        items: { ...text(32), pattern: label },
      }),
      homepage: optional({
        ...text(500),
        pattern: '^https?://[^\\s\\\\"<>]+$',
        examples: ['https://example.org/'],
        description: 'Address of its home page',
      }),
      license: optional({ ...text(100), description: 'Default: the license of the manifest' }),
    }),
  }),
  manifest_digest: optional({
    type: 'string',
    pattern: '^sha256:[0-9a-f]{64}$',
    description: 'Digest that the publisher expects; refused if the installation has another manifest',
  }),
  signature: optional({
    ...manifestSignature,
    description: "Signature with the namespace's key. Default: the file next to the manifest",
  }),
  allow_confusable_name: optional({
    type: 'boolean',
    description: 'Allow a name that looks like one of another publisher; only with a key with `*`',
  }),
});

/** The body that publishes an Orb. */
export type PublishBody = Infer<typeof publishRequest>;
