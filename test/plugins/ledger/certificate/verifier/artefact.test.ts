import { expect } from 'chai';
import { send } from '../../../../helpers/http.ts';
import { orb, startWorld, type World } from '../world.ts';

describe('what stands beside a credential', () => {
  let world: World;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- changed as the tests like
  let answer: any;
  const report = async (json: unknown) => {
    const { overall, exit, checks } = await world.certificates.service.verify(json);
    const failed = checks.filter(({ result }) => result === 'fail').map(({ name }) => name);
    return { overall, exit, failed, detail: checks.at(-1)?.detail };
  };
  before(async () => {
    world = await startWorld({ publicUrl: 'https://orb.example' });
    world.holds('gold');
    await world.snapshot();
    answer = await world.certificate();
  });
  after(() => world.stop());

  it('is verified with it when it is the answer as it was given', async () => {
    const { json } = await send(world.platform.url, '/certificates/verify', { json: { ...answer, claim: 'platinum' } });
    expect(json).to.include({ overall: 'REJECTED', exit: 2 });
    expect(await report(answer)).to.include({ overall: 'VERIFIED', exit: 0 });
    expect(await report(answer.credential)).to.include({ overall: 'VERIFIED', exit: 0 });
  });

  it('may say how the certificate stood when it was saved: only the store and the lists say how it stands', async () => {
    for (const status of ['expired', 'revoked'])
      expect(await report({ ...answer, status })).to.include({ overall: 'VERIFIED', exit: 0 });
  });

  const unknown = (): readonly (readonly [string, object])[] => {
    const { credential, verification, issued_at: _, ...rest } = answer;
    return [
      ['another claim', { ...answer, claim: 'platinum' }],
      ['another claim alone with it', { credential, certification_tier: 'platinum' }],
      ['a credential around it', { ...credential, credential }],
      ['a second credential', { ...answer, verifiableCredential: [credential] }],
      ['a claim within the verification', { ...answer, verification: { ...verification, tier: 'platinum' } }],
      ['a status that there is not', { ...answer, status: 'platinum' }],
      ['less than the answer holds', { ...rest, verification, credential }],
      ['a credential in a list', { ...answer, credential: [credential] }],
      ['a credential in an answer', { ...answer, credential: answer }],
      ['no credential', { ...answer, credential: null }],
    ];
  };
  it('is refused when it is not of the form of the answer: exit 2', async () => {
    for (const [name, artefact] of unknown())
      expect(await report(artefact), name).to.deep.include({ overall: 'REJECTED', exit: 2, failed: ['form'] });
  });

  const copies: readonly (readonly [string, (given: typeof answer) => object])[] = [
    ['/orb_id', (given) => ({ ...given, orb_id: 'demo.echo@1.0.0' })],
    ['/certification_tier', (given) => ({ ...given, certification_tier: 'platinum' })],
    ['/reputation_score', (given) => ({ ...given, reputation_score: 100 })],
    ['/certificate_id', (given) => ({ ...given, certificate_id: 'crt_01M80000000000000000000000' })],
    ['/issued_at', (given) => ({ ...given, issued_at: '2026-11-23T00:00:00Z' })],
    ['/expires_at', (given) => ({ ...given, expires_at: '2036-11-23T00:00:00Z' })],
    ['/verification/did', beside('did', 'did:web:other.example')],
    ['/verification/bound_to_host', beside('bound_to_host', false)],
    ['/verification/key', beside('key', 'z6MkOther')],
    ['/verification/status_list/revocation', listed('revocation')],
    ['/verification/status_list/suspension', listed('suspension')],
  ];
  for (const [pointer, changed] of copies)
    it(`is refused when ${pointer} differs from what the credential says: exit 1`, async () => {
      const found = await report(changed(answer));
      expect(found).to.deep.include({ overall: 'REJECTED', exit: 1, failed: ['readable_copy_matches'] });
      expect(found.detail).to.equal(`members next to the credential contradict it: ${pointer}`);
    });

  it('makes nothing better of a credential that nobody trusts: exit 4', async () => {
    const other = await startWorld({ publicUrl: 'https://orb.example' });
    try {
      other.holds('gold');
      await other.snapshot();
      const foreign = (await other.certificate(orb)) as object;
      expect(await report(foreign)).to.include({ overall: 'REJECTED', exit: 4 });
      expect(await report({ ...foreign, certification_tier: 'platinum' })).to.include({ overall: 'REJECTED', exit: 4 });
    } finally {
      await other.stop();
    }
  });
});

function beside(name: string, value: unknown) {
  return ({ verification, ...rest }: { verification: object }): object => ({
    ...rest,
    verification: { ...verification, [name]: value },
  });
}

function listed(purpose: string) {
  return ({ verification, ...rest }: { verification: { status_list: object } }): object => ({
    ...rest,
    verification: {
      ...verification,
      status_list: { ...verification.status_list, [purpose]: 'https://x.example/status-lists/1' },
    },
  });
}
