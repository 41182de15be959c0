import { expect } from 'chai';
import { getCountries, getCountryCallingCode, getExampleNumber } from 'libphonenumber-js/max';
import examples from 'libphonenumber-js/mobile/examples';
import { countryOf } from '../../../../providers/sms/message/country.ts';

const rows: readonly [number: string, country: string | undefined][] = [
  ['+4915123456789', 'DE'],
  ['+436641234567', 'AT'],
  ['+12125550123', 'US'],
  ['+14165550123', 'CA'],
  ['+18765550123', 'JM'],
  ['+18005550123', undefined],
  ['+447911123456', 'GG'],
  ['+447400123456', 'GB'],
  ['+77710009998', 'KZ'],
  ['+79123456789', 'RU'],
  ['+8821612345678', undefined],
  ['+2101234567', undefined],
];

// Countries whose numbers of mobile telephones are among those of another one.
const shared: Readonly<Record<string, string>> = {
  ...{ AX: 'FI', BL: 'GP', CC: 'AU', CX: 'AU', EH: 'MA', MF: 'GP', SJ: 'NO', VA: 'IT' },
};

describe('the country of a number', () => {
  for (const [number, country] of rows)
    it(`of ${number} is ${country ?? 'unknown'}`, () => expect(countryOf(number)).to.equal(country));

  it('equals that of another library for an example of each country', () => {
    const wrong = getCountries().flatMap((country) => {
      const number = getExampleNumber(country, examples)?.number;
      const found = number === undefined ? undefined : countryOf(number);
      return found === (shared[country] ?? country) ? [] : [`${country} ${number ?? ''}: ${found ?? 'none'}`];
    });
    expect(wrong).to.deep.equal([]);
    expect(getCountries().length).to.be.greaterThan(240);
  });

  it('knows each calling code', () => {
    const codes = new Set(getCountries().map((country) => getCountryCallingCode(country)));
    expect([...codes].filter((code) => countryOf(`+${code}2345678`) === undefined)).to.deep.equal(['599', '672']);
  });
});
