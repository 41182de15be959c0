import { expect } from 'chai';
import { badgeOf, colors, notFound, type Badge, type BadgeFacts } from '../../../../plugins/ledger/badge/badge.ts';
import { cleanLabel } from '../../../../plugins/ledger/badge/routes.ts';
import { createDrawing, styles, type Draw } from '../../../../plugins/ledger/badge/svg.ts';
import type { OrbReputation } from '../../../../plugins/ledger/contract.ts';
import { contrast, rgbOf, shadedAt, stopsOf } from './contrast.ts';

// As much of a reputation as a badge looks at.
const stands = (changed: Partial<OrbReputation>): OrbReputation =>
  ({ status: 'scored', tier: 'gold', suspended: false, score: 95, ...changed }) as OrbReputation;
const none = { tier: 'none' } as const;

const rows: readonly (readonly [string, OrbReputation, BadgeFacts['certificate'], [string, string, string], string])[] =
  [
    ['gold', stands({}), 'valid', ['gold · 95', 'gold', '95'], colors.gold],
    [
      'platinum',
      stands({ tier: 'platinum', score: 99 }),
      'valid',
      ['platinum · 99', 'platinum', '99'],
      colors.platinum,
    ],
    ['bronze', stands({ tier: 'bronze', score: 60 }), 'valid', ['bronze · 60', 'bronze', '60'], colors.bronze],
    ['silver', stands({ tier: 'silver', score: 80 }), undefined, ['silver · 80', 'silver', '80'], colors.silver],
    [
      'provisional',
      stands({ ...none, status: 'provisional', score: 57 }),
      undefined,
      ['new · 57', 'new', '57'],
      colors.none,
    ],
    ['without a tier', stands({ ...none, score: 50 }), undefined, ['no tier · 50', 'no tier', '50'], colors.none],
    [
      'unscored',
      stands({ ...none, status: 'unscored', score: null }),
      undefined,
      ['unscored', 'unscored', 'unscored'],
      colors.none,
    ],
    [
      'suspended',
      stands({ ...none, status: 'suspended', suspended: true }),
      'suspended',
      ['suspended', 'suspended', 'suspended'],
      colors.suspended,
    ],
    [
      'suspended, its certificate revoked',
      stands({ ...none, status: 'suspended', suspended: true }),
      'revoked',
      ['suspended', 'suspended', 'suspended'],
      colors.suspended,
    ],
    ['revoked', stands({ ...none, score: 40 }), 'revoked', ['revoked', 'revoked', 'revoked'], colors.suspended],
    ['with a tier and a revoked certificate', stands({}), 'revoked', ['gold · 95', 'gold', '95'], colors.gold],
    ['expired', stands({}), 'expired', ['expired', 'expired', 'expired'], colors.none],
    [
      'expired long ago, without a tier',
      stands({ ...none }),
      'expired',
      ['no tier · 95', 'no tier', '95'],
      colors.none,
    ],
  ];

describe('what a badge says', () => {
  for (const [name, reputation, certificate, messages, color] of rows)
    it(`of an Orb that is ${name}: ${messages[0]}`, () => {
      for (const [at, metric] of (['both', 'tier', 'score'] as const).entries()) {
        const badge = badgeOf({ reputation, certificate, metric, label: 'orb' });
        expect(badge).to.include({ label: 'orb', message: messages[at], color });
      }
    });

  it('alarms when it says suspended, revoked, expired or not found, and only then', () => {
    const said = rows.map(([, reputation, certificate]) =>
      badgeOf({ reputation, certificate, metric: 'both', label: 'orb' }),
    );
    const alarming = [...said, notFound('orb')].filter((badge) => badge.alarming).map(({ message }) => message);
    expect(alarming).to.deep.equal(['suspended', 'suspended', 'revoked', 'expired', 'not found']);
  });

  it('tells the colours of the reference', () => {
    expect(colors).to.deep.equal({
      ...{ none: '#6b6b6b', bronze: '#8c5a2b', silver: '#5f6b76', gold: '#8a6d00', platinum: '#2f5d8a' },
      suspended: '#b00020',
    });
  });
});

describe('the colours of a badge', () => {
  let draw: Draw;
  before(async () => void (draw = await createDrawing()));
  const badges: readonly Badge[] = [
    notFound('orb'),
    ...rows.map(([, reputation, certificate]) => badgeOf({ reputation, certificate, metric: 'both', label: 'orb' })),
  ];
  // Letters stand between these heights; measured from the baseline and the size of the font.
  const band = Array.from({ length: 21 }, (_, at) => 0.25 + (at / 20) * 0.5);

  for (const style of styles)
    it(`give every text of the style ${style} a contrast of at least 4.5:1, its gradient included`, () => {
      let least = 21;
      for (const badge of badges) {
        const { svg } = draw(badge, style);
        const stops = stopsOf(svg);
        const shown =
          style === 'social'
            ? [...svg.matchAll(/fill="(#333)"/g)].map(() => [rgbOf('#333'), rgbOf('#fafafa'), []] as const)
            : [...svg.matchAll(/<rect[^>]*fill="(#[0-9a-f]{3,6})"/g)].map(
                ([, fill = '']) => [rgbOf('#fff'), rgbOf(fill), stops] as const,
              );
        expect(shown, badge.message).to.have.length.at.least(1);
        if (style !== 'social') expect(svg, badge.message).to.contain(`fill="${badge.color}"`);
        for (const [text, background, gradient] of shown)
          for (const height of band) least = Math.min(least, contrast(text, shadedAt(background, gradient, height)));
      }
      expect(least).to.be.at.least(4.5);
    });
});

describe('the label of a badge', () => {
  it('loses what is invisible or turns the direction', () => {
    expect(cleanLabel(undefined)).to.equal('orb');
    expect(cleanLabel('\u202e\u200b \u0000')).to.equal('orb');
    expect(cleanLabel('  e\u202email\u0007\u2028x\ufeff ')).to.equal('email x');
    expect(cleanLabel('Ümlaut · 邮件')).to.equal('Ümlaut · 邮件');
  });
});

describe('the drawing of badges', () => {
  const badge: Badge = { label: 'orb', message: 'gold', color: '#8a6d00', alarming: false };

  it('keeps as many as it may, those that were looked at last', async () => {
    const draw = await createDrawing(2);
    const [first, second] = [draw(badge, 'flat'), draw(badge, 'social')];
    expect(draw(badge, 'flat')).to.equal(first);
    draw(badge, 'plastic');
    expect(draw(badge, 'flat')).to.equal(first);
    expect(draw(badge, 'social')).to.not.equal(second);
  });

  it('draws another for another label, message, colour or style', async () => {
    const draw = await createDrawing();
    const drawn = [{}, { label: 'mail' }, { message: 'silver' }, { color: '#b00020' }].map((changed) =>
      draw({ ...badge, ...changed }, 'flat'),
    );
    drawn.push(draw(badge, 'plastic'));
    expect(new Set(drawn.map(({ svg }) => svg)).size).to.equal(5);
  });

  it('gives texts that differ other validators, in every style', async () => {
    const draw = await createDrawing();
    const etags = styles.flatMap((style) =>
      ['gold', 'silver'].map((message) => draw({ ...badge, message }, style).etag),
    );
    expect(new Set(etags).size).to.equal(10);
    for (const etag of etags) expect(etag).to.match(/^"[A-Za-z0-9_-]{27}"$/);
  });
});
