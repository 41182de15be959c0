import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { createServed, type Served } from '../helpers/served.ts';
import { readGuide } from '../helpers/guide.ts';
import { shippedProblems } from '../helpers/shipped.ts';
import { beginWalk, headingsOf, type Walk } from './walk.ts';

const guide = 'plugins/docs/pages/call.md';

describe('the guide for who calls the API', function () {
  this.timeout(120_000);
  let served: Served;
  let walk: Walk;
  before(async () => {
    served = createServed({ limits: { key: { rate: { count: 100, window_s: 60 } } } });
    walk = beginWalk(guide, { home: served.home, ...(await served.start()) });
  });
  after(async () => {
    walk?.end();
    await served?.remove();
  });

  for (const heading of headingsOf(guide))
    it(`does what it says under "${heading}"`, async () => {
      const said = await walk.follow(heading);
      // Of the answers that no sample shows, none is a problem.
      if (heading !== 'Errors') expect(said).to.not.include('"request_id"');
      if (heading === 'Get a run and its receipt') expect(said).to.match(/^VERIFIED$/m);
    });

  it('tells what to do at every problem of a run, under its status', () => {
    const told = rowsOf(readGuide(guide));
    for (const [statuses, codes] of told)
      expect(new Set(codes.map((code) => shippedProblems.get(code)?.status)), codes.join()).to.deep.equal(
        new Set(statuses),
      );
    type Answer = { readonly $ref: string } | { readonly description: string };
    const document = JSON.parse(readFileSync(join(served.home, 'openapi.json'), 'utf8')) as {
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
