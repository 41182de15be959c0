/** How the text of a message is sent: in the 7-bit alphabet of GSM 03.38, or in units of UTF-16. */
export type Encoding = 'gsm7' | 'ucs2';

/** What a text costs. */
export interface Segments {
  readonly segments: number;
  readonly encoding: Encoding;
}

// 3GPP TS 23.038 §6.2.1: the basic alphabet, then the characters of its extension, which are sent as two.
const basic = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?' +
    '¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
);
const extension = new Set('\f^{}\\[~]|€');

// 3GPP TS 23.040 §9.2.3.24.1: the header that joins the parts of a message takes 7 characters, or 3 units, of each.
const sizes = { gsm7: { alone: 160, part: 153 }, ucs2: { alone: 70, part: 67 } } as const;

/** Counts the segments of a text; a surrogate pair and a character of the extension are never divided. */
export function segmentsOf(text: string): Segments {
  const characters = [...text];
  const encoding = characters.every((one) => basic.has(one) || extension.has(one)) ? 'gsm7' : 'ucs2';
  const { alone, part } = sizes[encoding];
  const units = characters.map((one) => (encoding === 'ucs2' ? one.length : extension.has(one) ? 2 : 1));
  if (units.reduce((sum, size) => sum + size, 0) <= alone) return { segments: 1, encoding };
  let segments = 1;
  let used = 0;
  for (const size of units) {
    if (used + size > part) {
      segments += 1;
      used = 0;
    }
    used += size;
  }
  return { segments, encoding };
}
