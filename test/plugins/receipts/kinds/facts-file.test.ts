import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { ConfigError } from '../../../../kernel/index.ts';
import { defineFact, type FactOwner } from '../../../../plugins/receipts/format/fact-kind.ts';
import { factsFile, formatFacts, knownFacts, readFacts } from '../../../../plugins/receipts/kinds/facts-file.ts';

const closed = { type: 'object', additionalProperties: false } as const;
const kindNamed = (kind: string, scopes = ['x:read'], subject = ['x_id']) =>
  defineFact({
    ...{ kind, subject: subject as [string], scopes },
    predicate: { ...closed, required: ['facts'], properties: { facts: closed } },
  });
const watch = kindNamed('watch');
const outside = (...facts: FactOwner['facts']): FactOwner => ({ name: 'watches', external: true, facts });

describe('a file of kinds of facts', () => {
  it('is read as it was written', () => {
    expect(readFacts(formatFacts([watch]))).to.deep.equal([watch]);
    expect(readFacts('{"facts":[]}')).to.deep.equal([]);
  });

  for (const [what, value] of [
    ['a list', []],
    ['no facts', {}],
    ['facts that are no list', { facts: {} }],
    ['a kind that is no object', { facts: ['watch'] }],
    ['a kind that is null', { facts: [null] }],
    ['a kind without a name', { facts: [{ ...watch, kind: 1 }] }],
    ['a kind without a predicate', { facts: [{ ...watch, predicate: [] }] }],
    ['rules that are no list', { facts: [{ ...watch, rules: {} }] }],
    ['scopes that are no list', { facts: [{ ...watch, scopes: 'x' }] }],
    ['a subject that is no list', { facts: [{ ...watch, subject: 'x' }] }],
    ['a rule that is no object', { facts: [{ ...watch, rules: ['x'] }] }],
    ['a kind of the kernel', { facts: [{ ...watch, kind: 'swap' }] }],
    ['a schema that no verifier can check', { facts: [{ ...watch, predicate: { ...watch.predicate, if: {} } }] }],
  ] as const)
    it(`is none with ${what}`, () => {
      expect(readFacts(JSON.stringify(value))).to.equal(undefined);
    });

  it('is none with a member given twice, or when it is no JSON', () => {
    expect(readFacts('{"facts":[],"facts":[]}')).to.equal(undefined);
    expect(readFacts('facts')).to.equal(undefined);
  });
});

describe('the known kinds of facts', () => {
  let dir: string;
  const path = () => join(dir, factsFile);
  const known = (owners: readonly FactOwner[], attested = true) => knownFacts(owners, dir, () => attested);
  beforeEach(() => void (dir = mkdtempSync(join(tmpdir(), 'facts-'))));
  afterEach(() => rmSync(dir, { recursive: true }));

  it('of shipped plugins are not kept: every verifier has them', async () => {
    expect(await known([{ name: 'ledger', facts: [watch] }])).to.deep.equal({ all: [watch], outside: [] });
    expect(existsSync(path())).to.equal(false);
  });

  it('from outside are kept, also when their plugin is gone', async () => {
    expect(await known([outside(watch)])).to.deep.equal({ all: [watch], outside: [watch] });
    expect(readFileSync(path(), 'utf8')).to.equal(formatFacts([watch]));
    expect(await known([])).to.deep.equal({ all: [watch], outside: [watch] });
    const visit = kindNamed('visit');
    expect(await known([outside(visit)])).to.deep.equal({ all: [visit, watch], outside: [visit, watch] });
    expect(readFacts(readFileSync(path(), 'utf8'))).to.deep.equal([visit, watch]);
  });

  it('that a shipped plugin declares too are not kept', async () => {
    expect((await known([outside(watch), { name: 'ledger', facts: [watch] }])).outside).to.deep.equal([]);
  });

  it('may not change while they have receipts, but for who reads these', async () => {
    await known([outside(watch)]);
    const changed = kindNamed('watch', ['x:read'], ['y_id']);
    const refused: unknown = await known([outside(changed)]).catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(ConfigError);
    expect(String(refused)).to.include('the kind of fact watch has receipts');
    expect(readFacts(readFileSync(path(), 'utf8'))).to.deep.equal([watch]);
    const reread = kindNamed('watch', ['y:read']);
    expect((await known([outside(reread)])).outside).to.deep.equal([reread]);
    expect(readFacts(readFileSync(path(), 'utf8'))).to.deep.equal([reread]);
    expect((await known([outside(changed)], false)).outside).to.deep.equal([changed]);
  });

  it('are written again when the file is damaged', async () => {
    writeFileSync(path(), 'no JSON');
    expect(await known([outside(watch)])).to.deep.equal({ all: [watch], outside: [watch] });
    expect(readFacts(readFileSync(path(), 'utf8'))).to.deep.equal([watch]);
  });
});
