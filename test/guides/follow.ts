import { expect } from 'chai';
import { need } from '../helpers/needs.ts';
import { createServed } from '../helpers/served.ts';
import { createReader } from '../plugins/clients/recipes/place.ts';
import { buildClients } from '../plugins/clients/built.ts';
import { beginWalk, headingsOf, type Place, type Walk } from './walk.ts';

/** What a guide is followed in, until it is removed. */
export interface Ground extends Place {
  /** What the reader has typed before. */
  readonly typed?: string;
  remove(): Promise<unknown>;
}

/** A guide, and how it is followed. */
export interface FollowedGuide {
  readonly guide: string;
  /** Makes what it is followed in; a server of its own unless given. */
  readonly begin?: () => Promise<Ground>;
  /** What is printed under a heading, where no sample shows it. */
  readonly says?: Readonly<Record<string, RegExp>>;
  readonly needsPython?: true;
}

/** Defines the tests of a guide that is followed from its first heading to its last. */
export function testGuide(title: string, { begin = serve, guide, needsPython, says = {} }: FollowedGuide): void {
  describe(title, function () {
    this.timeout(180_000);
    let ground: Ground;
    let walk: Walk;
    before(async function () {
      if (needsPython === true) need(this, 'python');
      ground = await begin();
      walk = beginWalk(guide, ground);
      if (ground.typed !== undefined) await walk.type(ground.typed);
    });
    after(async () => {
      walk?.end();
      await ground?.remove();
    });

    for (const heading of headingsOf(guide))
      it(`does what it says under "${heading}"`, async () => {
        expect(await walk.follow(heading)).to.match(says[heading] ?? /^/);
      });

    it('says something where that is expected', () => {
      expect(headingsOf(guide)).to.include.members(Object.keys(says));
    });
  });
}

/** Starts a server that offers the clients. */
export async function serve(): Promise<Ground> {
  buildClients();
  const served = createServed();
  return { home: served.home, ...(await served.start()), remove: () => served.remove() };
}

/** Starts a server in whose home a reader has installed the clients, and what recipes import besides. */
export async function serveReader(): Promise<Ground> {
  const { python, remove, served, url } = await createReader();
  return { home: served.home, url, typed: `export PYTHONPATH=${python.path} PATH=${python.bin}:$PATH`, remove };
}
