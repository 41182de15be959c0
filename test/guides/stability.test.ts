import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Route } from '../../kernel/index.ts';
import { targets, type Target } from '../../plugins/kit/binary/targets.ts';
import { packageDir } from '../helpers/folder.ts';
import { readGuide, tableUnder } from '../helpers/guide.ts';
import { startPlatform } from '../helpers/platform.ts';
import { describingRoutes } from '../helpers/shipped.ts';
import { payloadType, predicateType, statementKinds, version } from './formats.ts';

const page = 'plugins/docs/pages/stability.md';
const text = (path: string): string => readFileSync(join(packageDir, path), 'utf8');
/** The words in backticks of a cell. */
const namesOf = (cell = ''): readonly string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
const cellOf = (heading: string, begin: string): string =>
  tableUnder(page, heading).find(([what = '']) => what.startsWith(begin))?.[1] ?? expect.fail(`${heading}: ${begin}`);

describe('the page on stable interfaces', () => {
  let routes: readonly Route[];
  before(async () => {
    const platform = await startPlatform();
    routes = [...platform.kernel.routes, ...describingRoutes];
    await platform.stop();
  });

  it('is about this version', () => {
    const [major, minor] = version.split('.');
    expect(readGuide(page)).to.include(`is about version ${major}.${minor}.`);
  });

  it('names the executables that are a preview', () => {
    const all: Readonly<Record<string, Target>> = targets;
    const previews = Object.keys(all).filter((name) => all[name]?.preview === true);
    expect(namesOf(cellOf('Not stable', 'Executables'))).to.deep.equal(previews);
  });

  it('names the routes that answer people', () => {
    const forPeople = /^text\/(?:html|css|javascript)/;
    const found = routes
      .filter(({ forms = {}, produces = '' }) => [produces, ...Object.keys(forms)].some((type) => forPeople.test(type)))
      .map(({ path }) => /^\/[^/]*/.exec(path)?.[0] ?? '');
    expect(namesOf(cellOf('Not stable', 'Pages'))).to.deep.equal([...new Set(found)].sort());
  });

  it('names the routes that follow the protocols of others', () => {
    const named = namesOf(cellOf('Not stable', 'Protocols'));
    const foreign = routes.filter(({ path, problemForm }) => problemForm !== undefined || path.startsWith('/api/'));
    const isNamed = ({ path }: Route): boolean => named.some((prefix) => `${path}/`.startsWith(`${prefix}/`));
    expect(foreign.filter((route) => !isNamed(route)).map(({ path }) => path)).to.deep.equal([]);
    for (const prefix of named)
      expect(foreign.filter(({ path }) => `${path}/`.startsWith(`${prefix}/`)).length, prefix).to.be.greaterThan(0);
  });

  it('names every kind of statement, and how the formats are called', () => {
    const [pattern = '', ...kinds] = namesOf(cellOf('Formats', 'Other statements'));
    expect(kinds).to.deep.equal(statementKinds);
    expect(pattern).to.equal(predicateType('<kind>'));
    expect(namesOf(cellOf('Formats', 'Statement of a run'))).to.deep.equal([predicateType('run')]);
    expect(namesOf(cellOf('Formats', 'Envelope'))).to.deep.equal([payloadType]);
    const [run = '', orb = ''] = namesOf(cellOf('Formats', 'Score'));
    expect(text('plugins/receipts/format/run-statement.ts')).to.include(`const: '${run}'`);
    expect(text('plugins/ledger/score/model.ts')).to.include(`modelId = '${orb}'`);
  });

  it('names the imports of the package for authors', () => {
    const exported = [...text('plugins/kit/package.ts').matchAll(/^ {6}'(\.[^']*)': entry\(/gm)].map(([, name = '']) =>
      join('agent-orb-kit', name),
    );
    const stable = namesOf(tableUnder(page, 'Stable').find(([name = '']) => name.startsWith('[Plugin API]'))?.[1]);
    const others = namesOf(cellOf('Not stable', 'Imports'));
    expect([...stable.filter((name) => name.startsWith('agent-orb-kit')), ...others].sort()).to.deep.equal(
      exported.sort(),
    );
  });

  it('names the first release whose state is opened', () => {
    const [first] = readdirSync(join(packageDir, 'test/released'))
      .filter((name) => name.endsWith('.json'))
      .sort();
    expect(cellOf('How long things stay', 'Opening')).to.include(`from ${first?.slice(0, -'.json'.length)} on`);
  });

  it('lists the removals that the changelog announces', () => {
    const announced = [...text('CHANGELOG.md').matchAll(/^### Deprecated\n\n((?:- .*\n(?: {2}.*\n)*)+)/gm)].flatMap(
      ([, lines = '']) => lines.match(/^- /gm) ?? [],
    );
    expect(tableUnder(page, 'How a removal is announced')).to.have.length(announced.length);
  });
});
