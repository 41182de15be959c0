import { expect } from 'chai';
import { SegmentedMessage } from 'sms-segments-calculator';
import { segmentsOf } from '../../../../providers/sms/message/segments.ts';
import { randomFrom, randomText } from '../texts.ts';

const count = Number(process.env['SMS_TEXTS'] ?? 1000);
const letters = (length: number): string => 'a'.repeat(length);

const rows: readonly [why: string, text: string, segments: number, encoding: 'gsm7' | 'ucs2'][] = [
  ['one letter', 'a', 1, 'gsm7'],
  ['160 letters alone', letters(160), 1, 'gsm7'],
  ['161 letters', letters(161), 2, 'gsm7'],
  ['two full parts', letters(306), 2, 'gsm7'],
  ['one letter more', letters(307), 3, 'gsm7'],
  ['80 characters of two', '€'.repeat(80), 1, 'gsm7'],
  ['one more', '€'.repeat(81), 2, 'gsm7'],
  ['a character of two at the border of a part is not divided', `${letters(152)}€${letters(152)}`, 3, 'gsm7'],
  ['the same one place earlier', `${letters(151)}€${letters(153)}`, 2, 'gsm7'],
  ['line breaks', 'a\r\nb', 1, 'gsm7'],
  ['every character of the alphabet', '@£$¥èéùìòÇØøÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ¤¡ÄÖÑÜ§¿äöñüà\f^{}\\[~]|€', 1, 'gsm7'],
  ['a curly apostrophe', '’', 1, 'ucs2'],
  ['a small c with cedilla', 'ç', 1, 'ucs2'],
  ['a backtick', '`', 1, 'ucs2'],
  ['70 units', `${letters(69)}’`, 1, 'ucs2'],
  ['71 units', `${letters(70)}’`, 2, 'ucs2'],
  ['two full parts of units', `${letters(133)}’`, 2, 'ucs2'],
  ['one unit more', `${letters(134)}’`, 3, 'ucs2'],
  ['a character of two counts one beside others', `${'€'.repeat(69)}’`, 1, 'ucs2'],
  ['35 pairs', '😀'.repeat(35), 1, 'ucs2'],
  ['36 pairs: 33 fit into a part', '😀'.repeat(36), 2, 'ucs2'],
  ['67 pairs: a pair is not divided', '😀'.repeat(67), 3, 'ucs2'],
  ['a flag at the border of a part, which may be divided', `${letters(65)}🇩🇪${letters(65)}`, 2, 'ucs2'],
];

// The texts have no characters that are joined of several, such as flags: the other library moves them to the next part
// whole. The standard joins the parts before a character is shown, so that only pairs must stay together.
describe('segments of text messages', () => {
  for (const [why, text, segments, encoding] of rows)
    it(`counts ${why}`, () => expect(segmentsOf(text)).to.deep.equal({ segments, encoding }));

  it(`equals the count of another library in ${count} random texts`, () => {
    const random = randomFrom(20261129);
    const seen = new Set<string>();
    for (let round = 0; round < count; round += 1) {
      const text = randomText(random);
      const judge = new SegmentedMessage(text);
      const judged = { segments: judge.segmentsCount, encoding: judge.encodingName === 'GSM-7' ? 'gsm7' : 'ucs2' };
      const found = segmentsOf(text);
      expect(found, JSON.stringify(text)).to.deep.equal(judged);
      seen.add(`${found.encoding} ${Math.min(found.segments, 4)}`);
    }
    expect(seen.size, 'kinds of counts').to.equal(8);
  });
});
