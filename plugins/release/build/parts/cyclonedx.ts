import { createHash } from 'node:crypto';
import type { Part } from './part.ts';

/** The executable whose parts a list is about. */
export interface Described {
  readonly version: string;
  readonly target: string;
  /** The commit that it was built of, and its time in seconds since 1970; absent: the list says nothing of it. */
  readonly source?: { readonly commit: string; readonly epoch: number };
}

/** Makes a CycloneDX 1.6 document of the parts of an executable; the same parts always give the same document. */
export function bomOf(parts: readonly Part[], { source, target, version }: Described): object {
  const program = `pkg:generic/agent-orb-platform@${version}?target=${target}`;
  const sorted = [...parts].sort((one, other) => (one.purl < other.purl ? -1 : 1));
  const held = (holder: string): string[] => sorted.filter(({ of = program }) => of === holder).map(({ purl }) => purl);
  const components = sorted.map(componentOf);
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify([program, source, components]))}`,
    version: 1,
    metadata: {
      ...(source === undefined ? {} : { timestamp: new Date(source.epoch * 1000).toISOString() }),
      component: {
        ...{ type: 'application', 'bom-ref': program, name: 'agent-orb-platform', version, purl: program },
        licenses: licencesOf('Apache-2.0'),
      },
      ...(source === undefined ? {} : { properties: [{ name: 'agent-orb:commit', value: source.commit }] }),
    },
    components,
    dependencies: [program, ...sorted.map(({ purl }) => purl)].map((ref) => ({ ref, dependsOn: held(ref) })),
    compositions: [{ aggregate: 'complete', assemblies: [program] }],
  };
}

function componentOf({ licence, name, purl, sha512, version }: Part): object {
  const scoped = purl.startsWith('pkg:npm/') && name.startsWith('@');
  const [group, own] = scoped ? name.split('/') : [undefined, name];
  return {
    ...{ type: 'library', 'bom-ref': purl, ...(group === undefined ? {} : { group }), name: own, version, purl },
    ...(sha512 === undefined ? {} : { hashes: [{ alg: 'SHA-512', content: sha512 }] }),
    licenses: licencesOf(licence),
  };
}

// A licence that is not of the SPDX list has a name of its own.
function licencesOf(licence: string): readonly object[] {
  if (licence.startsWith('LicenseRef-')) return [{ license: { name: licence.slice('LicenseRef-'.length) } }];
  return [/^[\w.-]+$/.test(licence) ? { license: { id: licence } } : { expression: licence }];
}

/** Makes a UUID of a text (RFC 9562, version 8: the bits of a digest). */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 3) | 8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
