import { expect } from 'chai';
import { confusable, skeleton } from '../../../../plugins/marketplace/publish/confusable.ts';

describe('confusable names', () => {
  const same: readonly (readonly [string, string, string])[] = [
    ['notify.email', 'n0tify.email', 'a nought for an o'],
    ['notify.email', 'notify.emai1', 'a one for an l'],
    ['notify.email', 'notlfy.email', 'an l for an i'],
    ['notify.email', 'notify.ernail', 'rn for m'],
    ['wave.send', 'vvave.send', 'vv for w'],
    ['data.clean', 'data.dean', 'cl for d'],
    ['notify.email', 'notify-email.x', 'a sign moved and a letter added'],
    ['notify.email', 'notify.e-mail', 'a hyphen put in'],
    ['notify.email', 'not.ify.email', 'another namespace of the same letters'],
    ['notify.email', 'notify.emails', 'a letter added'],
    ['notify.email', 'notify.emil', 'a letter left out'],
    ['notify.email', 'notify.emaul', 'a letter changed'],
    ['notify.email', 'notify.emial', 'two letters in the other order'],
  ];
  for (const [one, other, why] of same)
    it(`are those that differ by ${why}`, () => {
      expect(confusable(one, other)).to.equal(true);
      expect(confusable(other, one)).to.equal(true);
    });

  const apart: readonly (readonly [string, string])[] = [
    ['notify.email', 'notify.sms'],
    ['notify.email', 'notify.fetch'],
    ['notify.email', 'notify.emailer'],
    ['demo.echo', 'demo.fetch'],
  ];
  for (const [one, other] of apart)
    it(`are not ${one} and ${other}`, () => expect(confusable(one, other)).to.equal(false));

  it('are never one and the same', () => expect(confusable('notify.email', 'notify.email')).to.equal(false));

  it('have a skeleton without case', () => expect(skeleton('NOTIFY.Email')).to.equal(skeleton('notify.email')));
});
