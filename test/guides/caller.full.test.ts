import { expect } from 'chai';
import { createServed, type Served } from '../helpers/served.ts';
import { readGuide } from '../helpers/guide.ts';
import { shippedProblems } from '../helpers/shipped.ts';
import { buildClients } from '../plugins/clients/built.ts';
import { beginWalk, headingsOf, type Walk } from './walk.ts';

const guides = ['plugins/docs/pages/call.md', 'plugins/docs/pages/call/errors.md'] as const;

/** What is printed under a heading, where no sample shows it. */
const says: Readonly<Record<string, RegExp>> = {
  'Install a client': /added 1 package/,
  'List Orbs and schemas': /^notify\.email@1\.0\.0$/m,
  'Get a run and its receipt': /^run_\w+ completed true\n[^]*^VERIFIED$/m,
};

describe('the guide for who calls the API', function () {
  this.timeout(120_000);
  let served: Served;
  let at: { readonly url: string; readonly key: string };
  before(async () => {
    buildClients();
    served = createServed({ limits: { key: { rate: { count: 100, window_s: 60 } } } });
    at = await served.start();
  });
  after(() => served?.remove());

  for (const guide of guides)
    describe(guide, () => {
      let walk: Walk;
      before(() => {
        walk = beginWalk(guide, { home: served.home, ...at });
      });
      after(() => walk?.end());

      for (const heading of headingsOf(guide))
        it(`does what it says under "${heading}"`, async () => {
          const said = await walk.follow(heading);
          // Of the answers that no sample shows, none is a problem.
          if (heading !== 'Problems') expect(said).to.not.include('"request_id"');
          expect(said).to.match(says[heading] ?? /^/);
        });
    });

  it('tells what to do at every problem of a run, under its status', async () => {
    const told = rowsOf(readGuide(guides[1]));
    for (const [statuses, codes] of told)
      expect(new Set(codes.map((code) => shippedProblems.get(code)?.status)), codes.join()).to.deep.equal(
        new Set(statuses),
      );
    type Answer = { readonly $ref: string } | { readonly description: string };
    const document = (await (await fetch(`${at.url}/openapi.json`)).json()) as {
      paths: Record<string, { post: { responses: Record<string, Answer> } }>;
      components: { responses: Record<string, { readonly description: string }> };
    };
    const responses = document.paths['/orbisets/{id}/execute']?.post.responses ?? {};
    const descriptionOf = (answer: Answer): string =>
      '$ref' in answer
        ? (document.components.responses[answer.$ref.split('/').at(-1) ?? '']?.description ?? '')
        : answer.description;
    const possible = Object.values(responses).flatMap((answer) =>
      [...descriptionOf(answer).matchAll(/`(\w+)`/g)].map(([, code = '']) => code),
    );
    expect(possible.length).to.be.greaterThan(20);
    expect(told.flatMap(([, codes]) => codes)).to.include.members(possible);
  });
});

/** Reads the rows of the table of problems: statuses, and the codes under them. */
function rowsOf(text: string): readonly (readonly [statuses: readonly number[], codes: readonly string[]])[] {
  return [...text.matchAll(/^\| (\d{3}(?:, \d{3})*) +\|([^|]+)\|/gm)].map(([, statuses = '', codes = '']) => [
    statuses.split(', ').map(Number),
    [...codes.matchAll(/`(\w+)`/g)].map(([, code = '']) => code),
  ]);
}
