import { expect } from 'chai';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { problemTable } from '../../../kernel/problem-table.ts';
import { builtin } from '../../../plugins/builtin.ts';
import { formatted } from '../../helpers/formatted.ts';
import { updating } from '../../helpers/updating.ts';
import { retryFile, retryTable, statementsFile, vectorFiles, vectorsFolder } from './vectors/files.ts';
import { statementShapes } from './vectors/statements.ts';

interface Table {
  readonly problems: Readonly<
    Record<string, { readonly status: number; readonly retry: string; readonly kind: string }>
  >;
}

describe('the data that all clients share', () => {
  it('has a row of the retry table for every problem of the program (UPDATE_GOLDEN=1 writes it again)', async () => {
    const text = await formatted(retryTable());
    if (updating) writeFileSync(retryFile, text);
    expect(readFileSync(retryFile, 'utf8')).to.equal(text);
    const { problems } = JSON.parse(text) as Table;
    expect(Object.keys(problems).sort()).to.deep.equal([...problemTable(builtin.plugins).keys()].sort());
  });

  it('has the shape of every kind of statement of the receipts (UPDATE_GOLDEN=1 writes it again)', async () => {
    const text = await formatted(statementShapes());
    if (updating) writeFileSync(statementsFile, text);
    expect(readFileSync(statementsFile, 'utf8')).to.equal(text);
  });

  it('repeats nothing whose repetition the server calls useless, and no run that has ended', () => {
    const { problems } = retryTable() as Table;
    const table = problemTable(builtin.plugins);
    for (const [code, { retry }] of Object.entries(problems))
      if (table.get(code)?.retryable !== true) expect(retry, code).to.equal('never');
    const repeated = Object.entries(problems).filter(([, { retry }]) => retry !== 'never');
    expect(Object.fromEntries(repeated.map(([code, { retry }]) => [code, retry]))).to.include({
      rate_limited: 'after',
      draining: 'after',
      idempotency_in_progress: 'same_key',
      storage_unavailable: 'same_key',
    });
    for (const code of ['outcome_unknown', 'provider_failed', 'run_timed_out', 'internal'])
      expect(problems[code]?.retry, code).to.equal('never');
  });

  const files = vectorFiles();
  for (const [name, content] of Object.entries(files))
    it(`has the vectors of ${name} (UPDATE_GOLDEN=1 writes them again)`, async () => {
      const path = join(vectorsFolder, `${name}.json`);
      const text = await formatted(content);
      if (updating) writeFileSync(path, text);
      expect(readFileSync(path, 'utf8')).to.equal(text);
    });

  it('names each case once, and has no other file', () => {
    const written = readdirSync(vectorsFolder).filter((file) => file.endsWith('.json'));
    expect(written.sort()).to.deep.equal(
      Object.keys(files)
        .map((name) => `${name}.json`)
        .sort(),
    );
    for (const [file, { cases = [] }] of Object.entries(
      files as Record<string, { cases?: readonly { name: string }[] }>,
    )) {
      const names = cases.map(({ name }) => name);
      expect(new Set(names).size, file).to.equal(names.length);
    }
  });
});
