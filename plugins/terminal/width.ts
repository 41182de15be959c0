const narrow = /^[\x20-\x7e]*$/;
const none = /\p{Mn}|\p{Me}/u;
const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;

/** Counts the columns that a text has on a terminal. */
export function widthOf(text: string): number {
  if (narrow.test(text)) return text.length;
  return [...text].reduce((sum, sign) => sum + signWidth(sign), 0);
}

/** Cuts a text that is wider than `width` columns; the last of them is then `…`. */
export function shortened(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let [kept, used] = ['', 0];
  for (const sign of text) {
    used += signWidth(sign);
    if (used > width - 1) break;
    kept += sign;
  }
  return width < 1 ? '' : `${kept}…`;
}

// Writes control and format characters, which could be untrusted and would steer the terminal, as spaces.
const steering = /[\p{Cc}\p{Cf}\u2028\u2029]+/gu;

/** Replaces the characters that a terminal obeys by spaces. */
export function printable(text: string): string {
  return text.replace(steering, ' ');
}

function signWidth(sign: string): number {
  if (none.test(sign)) return 0;
  return wide.test(sign) ? 2 : 1;
}
