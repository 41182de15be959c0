import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { CommandCall } from '../../../../../kernel/index.ts';
import { defineFact } from '../../../../../plugins/receipts/format/fact-kind.ts';
import { formatFacts } from '../../../../../plugins/receipts/kinds/facts-file.ts';
import { readPinned } from '../../../../../plugins/receipts/verifier/trust-store/pinned-trust.ts';
import type { Trust } from '../../../../../plugins/receipts/verifier/trust.ts';
import { runCommand } from '../../../../helpers/command.ts';
import { temporaryDir } from '../../harness.ts';
import { vectorKeys, vectors } from '../../sample.ts';

const closed = { type: 'object', additionalProperties: false } as const;
const kindNamed = (kind: string, scope: string) =>
  defineFact({
    ...{ kind, subject: ['x'], scopes: [scope] },
    predicate: { ...closed, required: ['facts'], properties: { facts: closed } },
  });
const [watch, visit] = [kindNamed('watch', 'a'), kindNamed('visit', 'a')];

describe('what a verifying command trusts', () => {
  let dir: ReturnType<typeof temporaryDir>;
  beforeEach(() => void (dir = temporaryDir()));
  afterEach(() => dir.remove());

  const file = (name: string, content: string): string => {
    const path = join(dir.path, name);
    writeFileSync(path, content);
    return path;
  };
  const keys = (name = 'jwks.json') => file(name, JSON.stringify(vectorKeys));
  const policy = (content = `witness w ${vectors.keys.witness_vkey}\nquorum w\n`) => file('policy', content);
  const read = async (options: CommandCall['options'] = {}, keysOptional = false) => {
    let trust: Trust | undefined;
    const { notes } = await runCommand(
      { run: async (call) => void (trust = await readPinned(call, { keysOptional })) },
      ...([dir.path, [], { options, facts: [watch] }] as const),
    );
    return { trust, notes };
  };

  it('is the keys of the state dir, or of the file that is named', async () => {
    expect((await read()).notes.join()).to.match(/^cannot read the keys file .*jwks\.json/);
    const named = await read({ keys: keys('other.json') });
    expect([named.trust?.keys.length, named.trust?.policy?.logs.length, named.notes]).to.deep.equal([2, 1, []]);
    keys();
    expect((await read()).trust?.keys).to.have.length(2);
    const none = await read({ keys: file('none.json', '{}') });
    expect([none.trust, none.notes.join()]).to.deep.equal([
      undefined,
      `the keys file ${dir.path}/none.json is not a JWK Set`,
    ]);
  });

  it('takes logs and witnesses from the policy that is named', async () => {
    keys();
    const { trust } = await read({ policy: policy() });
    expect([trust?.keys.length, trust?.policy?.logs.length, trust?.policy?.quorum]).to.deep.equal([2, 0, 'w']);
    for (const path of [policy('x'), join(dir.path, 'missing')])
      expect(await read({ policy: path })).to.deep.equal({
        ...{ trust: undefined, notes: [`cannot read the file ${path} as a tlog-policy`] },
      });
  });

  it('is a policy alone where keys may be absent, but not where they were named', async () => {
    const alone = await read({ policy: policy() }, true);
    expect([alone.trust?.keys, alone.trust?.policy?.quorum, alone.notes]).to.deep.equal([[], 'w', []]);
    expect((await read({ policy: policy() })).trust).to.equal(undefined);
    expect((await read({}, true)).trust).to.equal(undefined);
    const missing = await read({ policy: policy(), keys: join(dir.path, 'missing') }, true);
    expect([missing.trust, missing.notes.length]).to.deep.equal([undefined, 1]);
  });

  it('knows the kinds of the program, and those of a file that changes none of them', async () => {
    keys();
    expect((await read()).trust?.facts).to.deep.equal([watch]);
    file('facts.json', formatFacts([kindNamed('watch', 'b'), visit]));
    expect((await read()).trust?.facts).to.deep.equal([watch, visit]);
    const facts = file('others.json', formatFacts([]));
    expect((await read({ facts })).trust?.facts).to.deep.equal([watch]);
    expect((await read({ facts, policy: policy() })).trust?.facts).to.deep.equal([watch]);
  });

  it('is nothing when the file of kinds cannot be read, named or not', async () => {
    keys();
    const missing = join(dir.path, 'missing.json');
    expect(await read({ facts: missing })).to.deep.equal({
      ...{ trust: undefined, notes: [`cannot read the file ${missing} as kinds of facts`] },
    });
    const damaged = file('facts.json', '{}');
    expect((await read()).notes).to.deep.equal([`cannot read the file ${damaged} as kinds of facts`]);
  });
});
