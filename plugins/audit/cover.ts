import type { BundleManifest } from './format.ts';

const abouts: readonly (readonly [part: string, about: string])[] = [
  ['verify.html', 'a page that verifies receipts in a browser, without a network'],
  [
    'export/',
    'receipts of runs, decisions and changes, with their proofs,\n                    the checkpoints of the logs and the public keys; see HOWTO.md in it',
  ],
  ['approvals/', 'what people were asked before a run, and who decided'],
  ['incidents/', 'incidents that were active in the time'],
  [
    'manifests/',
    'the Orbs as they are now; the SHA-256 of a file is the\n                    manifest_digest of receipts',
  ],
  [
    'policies/',
    'the policies that were active in the time, with their text; `revision`\n                    is the policy.revision of receipts',
  ],
];

/** Writes the first page of a bundle: what is in it, and how somebody checks it with tools of others. */
export function cover({
  exported_at,
  from,
  installation,
  parts,
  tenant,
  to,
}: Omit<BundleManifest, 'files' | 'bytes' | 'sums' | 'left_out'> & { readonly parts: readonly string[] }): string {
  const contents = abouts.filter(([part]) => parts.includes(part)).map(([part, about]) => `${part.padEnd(20)}${about}`);
  return `# Evidence of ${installation}

From ${from} until before ${to}, ${tenant === undefined ? 'all tenants' : `the tenant ${tenant}`}. Exported at ${exported_at}.

${contents.join('\n')}
sums/               SHA-256 of every file, in the form of sha256sum
manifest.json       SHA-256 of those lists, and what was left out and why
manifest.dsse.json  the same, signed with a receipt key: the last file of the
                    archive. Without it the archive was cut off.

The keys in export/jwks.json come from the maker of this archive. COMPARE THEM with
a copy from another source: below, PINNED-jwks.json.

## With the orb command

    orb audit verify FILE.tar --keys PINNED-jwks.json

It reads the archive itself, not a folder: every byte of it counts.

## With sha256sum, jq and openssl

    cat sums/*.sha256 | sha256sum -c --quiet
    jq -r '.sums[] | "\\(.sha256)  \\(.path)"' manifest.json | sha256sum -c --quiet
    jq -r .payload manifest.dsse.json | base64 -d | cmp - manifest.json
    jq -rj .payload manifest.dsse.json | base64 -d > payload
    T=$(jq -r .payloadType manifest.dsse.json)
    { printf 'DSSEv1 %d %s %d ' \${#T} "$T" $(wc -c < payload); cat payload; } > pae
    jq -rj '.signatures[0].sig' manifest.dsse.json | base64 -d > sig
    K=$(jq -r '.signatures[0].keyid' manifest.dsse.json)
    { printf '\\060\\052\\060\\005\\006\\003\\053\\145\\160\\003\\041\\000'
      jq -r --arg k "$K" '.keys[] | select(.kid == $k) | .x' PINNED-jwks.json |
        tr -- -_ +/ | sed 's/$/=/' | base64 -d; } > key.der
    openssl pkeyutl -verify -pubin -keyform DER -inkey key.der -rawin -in pae -sigfile sig

A file that no list names was added later: count them. export/HOWTO.md checks single
receipts and their places in the log.

## What it does not prove

- That a time or a tenant is complete: a filtered export does not show which entries
  of the log are missing. Only the whole log does (orb log fsck).
- That inputs were true, an action was right, or a clock was exact.
- What people wrote as a comment: decisions hold a salted digest of it.
- Manifests of Orbs that were changed since: only the present ones are here.
`;
}
