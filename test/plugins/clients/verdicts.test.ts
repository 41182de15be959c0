import { expect } from 'chai';
import { canonical } from '../../../kernel/index.ts';
import { verifySignature } from '../../../plugins/receipts/format/ed25519.ts';
import { signedText } from '../receipts/sample.ts';
import { installClient, type Installed } from './built.ts';
import { keySets, resultOf } from './vectors/receipts.ts';
import { mutants, seeded, statements } from './vectors/mutants.ts';

const count = Number(process.env['CLIENT_MUTANTS'] ?? 400);
const seed = Number(process.env['CLIENT_SEED'] ?? 1);

// What a change of these documents can break.
const reached = ['malformed', 'key_trusted', 'statement_schema', 'readable_copy_matches', 'score_recomputes'];

describe('the verifier of the TypeScript client, beside that of the server', function () {
  this.timeout(20_000 + count * 20);
  let installed: Installed;
  before(async () => {
    installed = await installClient();
  });
  after(() => installed?.remove());
  const trust = keySets['pinned'] ?? { keys: [] };
  const here = async (text: string): Promise<object> => {
    const verdict = await installed.client.verifyReceipt(text, trust as { keys: [] });
    return verdict.verified ? { verified: true } : { verified: false, check: verdict.check };
  };

  const there = (text: string) => resultOf(text, 'pinned', { verifySignature });

  it('accepts a statement of each kind', async () => {
    for (const [name, statement] of Object.entries(statements)) {
      const text = signedText(canonical(statement));
      expect(await here(text), name).to.deep.equal(there(text));
      expect(there(text).verified, name).to.equal(name !== 'strange');
    }
  });

  it(`judges ${count} signed changes of statements, and changes of artefacts, alike (seed ${seed})`, async () => {
    const differ: unknown[] = [];
    const checks = new Set<string>();
    for (const text of mutants(count, seeded(seed))) {
      const [own, server] = [await here(text), there(text)];
      if (!server.verified) checks.add(server.check);
      if (JSON.stringify(own) !== JSON.stringify(server)) differ.push({ own, server, text });
    }
    expect(differ).to.deep.equal([]);
    expect([...checks]).to.include.members(reached);
  });
});
