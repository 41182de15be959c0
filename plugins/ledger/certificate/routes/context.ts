const vocabulary = 'urn:agent-orb:certificate:v1#';

// JSON-LD keeps these members as JSON: their objects have formats of their own.
const documents = ['basis', 'certification', 'components', 'publisher', 'receiptLog', 'scoringPolicy', 'snapshot'];
const texts = ['limitedBy', 'manifestDigest', 'namespace', 'orbId', 'orbName', 'tier', 'version'];
const numbers = ['reputationScore', 'reputationScoreMilli', 'tierRank'];
// Members of a key in the DID document.
const positions = ['activeSince', 'revokedAt', 'stands'];

/** The JSON-LD context of certificates, served at `/contexts/orb-cert/v1`. */
export const certificateContext: object = Object.freeze({
  '@context': {
    '@version': 1.1,
    '@protected': true,
    OrbCertificationCredential: `${vocabulary}OrbCertificationCredential`,
    ReputationEvidence: `${vocabulary}ReputationEvidence`,
    Orb: {
      '@id': `${vocabulary}Orb`,
      '@context': {
        '@protected': true,
        ...terms(documents, '@json'),
        ...terms(texts),
        ...terms(numbers, 'http://www.w3.org/2001/XMLSchema#integer'),
      },
    },
    ...terms(positions, '@json'),
  },
});

function terms(names: readonly string[], type?: string): Record<string, object> {
  return Object.fromEntries(
    names.map((name) => [name, { '@id': vocabulary + name, ...(type === undefined ? {} : { '@type': type }) }]),
  );
}
