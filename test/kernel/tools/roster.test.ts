import { expect } from 'chai';
import { Roster } from '../../../kernel/tools/roster.ts';

describe('a roster', () => {
  it('keeps values in the order in which they came, also equal ones', () => {
    const roster = new Roster<string>();
    for (const value of ['a', 'b', 'a']) roster.add(value);
    expect([...roster]).to.deep.equal(['a', 'b', 'a']);
    expect(roster.size).to.equal(3);
  });

  it('gives up the first, one between and the last, each once', () => {
    const roster = new Roster<number>();
    const places = [1, 2, 3, 4].map((value) => roster.add(value));
    const left = places.map((place) => {
      expect([roster.remove(place), roster.remove(place), place.listed]).to.deep.equal([true, false, false]);
      return [...roster];
    });
    expect(left).to.deep.equal([[2, 3, 4], [3, 4], [4], []]);
    const [first, second, third] = [5, 6, 7].map((value) => roster.add(value));
    if (second !== undefined) roster.remove(second);
    if (third !== undefined) roster.remove(third);
    expect([...roster, roster.size, first?.listed]).to.deep.equal([5, 1, true]);
  });

  it('moves a value to the end, unless it was removed', () => {
    const roster = new Roster<number>();
    const places = [1, 2, 3].map((value) => roster.add(value));
    const [first, second, third] = places;
    if (first === undefined || second === undefined || third === undefined) throw new Error('no places');
    roster.renew(first);
    roster.renew(first);
    roster.remove(second);
    roster.renew(second);
    expect([...roster]).to.deep.equal([3, 1]);
    expect(roster.size).to.equal(2);
  });

  it('can be gone through while the value at hand is removed', () => {
    const roster = new Roster<number>();
    const places = new Map([1, 2, 3].map((value) => [value, roster.add(value)]));
    const seen: number[] = [];
    for (const value of roster) {
      seen.push(value);
      const place = places.get(value);
      if (place !== undefined) roster.remove(place);
    }
    expect([seen, roster.size]).to.deep.equal([[1, 2, 3], 0]);
  });
});
