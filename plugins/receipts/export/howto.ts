import type { Manifest } from './manifest.ts';

const ofFacts = `facts.json         kinds of facts that plugins of the installation declare: the
                   possible contents of their receipts. Compare them, too.
`;

/** Writes instructions for checking an export with independent tools. */
export function howto({ installation, logs }: Manifest, withFacts = false): string {
  const names = logs.map(({ origin, size }) => `  ${origin} (${size} entries)`).join('\n');
  return `# Receipts of ${installation}

Signed receipts. A proof shows for each that it is in an append-only log:

${names}

export.json        the filter and the logs of the export. It is not signed.
jwks.json          public keys. COMPARE THEM with a copy from another source:
                   the creator of this export could have added other keys.
policy             the keys of the logs, as a C2SP tlog-policy file. Compare them, too.
${withFacts ? ofFacts : ''}log/<shard>/       checkpoint (C2SP signed note); with tiles also the tiles and the
                   entries of the log (C2SP tlog-tiles)
receipts/<shard>/  one file per receipt, in the order of the log: envelope (DSSE),
                   proof (RFC 6962), and a copy of the statement for reading

## With the orb command

    orb receipts verify . --keys PINNED-jwks.json${withFacts ? ' --facts facts.json' : ''}
    orb log fsck . --keys PINNED-jwks.json${withFacts ? ' --facts facts.json' : ''}

The first verifies all receipts, the chain of each Orbiset and, for a complete
export, that none is missing. The second also rebuilds the trees from the entries.

## With jq and openssl: one signature

    F=receipts/0/000000000/FILE.json
    jq -rj .envelope.payload $F | base64 -d > payload
    T=$(jq -r .envelope.payloadType $F)
    { printf 'DSSEv1 %d %s %d ' \${#T} "$T" $(wc -c < payload); cat payload; } > pae
    jq -rj '.envelope.signatures[0].sig' $F | base64 -d > sig
    K=$(jq -r '.envelope.signatures[0].keyid' $F)
    { printf '\\060\\052\\060\\005\\006\\003\\053\\145\\160\\003\\041\\000'
      jq -r --arg k "$K" '.keys[] | select(.kid == $k) | .x' PINNED-jwks.json |
        tr -- -_ +/ | sed 's/$/=/' | base64 -d; } > key.der
    openssl pkeyutl -verify -pubin -keyform DER -inkey key.der -rawin -in pae -sigfile sig

The payload is the in-toto statement: jq . payload

## With Go: one position in the log

golang.org/x/mod/sumdb/note opens log/<shard>/checkpoint with the vkey in policy;
lines two and three of its text are size and root. golang.org/x/mod/sumdb/tlog:
CheckRecord(proof.hashes, size, root, proof.index, RecordHash(proof.leaf)), hashes
and leaf decoded from base64. The leaf contains the SHA-256 of the payload and the
signature: compare both with the envelope.

## What an export does not prove

- That inputs were true, a provider was honest, an action was wise, or a clock was
  exact.
- That a filtered export is complete: only the size of a checkpoint shows how many
  entries there are.
- That the log shows others the same entries: compare checkpoints with other users.
`;
}
