/**
 * Says whether two Orb names could be taken for one another. Names are `<namespace>.<orb-name>` and hold a–z, 0–9, `-`, `_`
 * and `.` only, so what a skeleton folds are the letters that look alike in common typefaces, and the signs between them.
 */
export function confusable(one: string, other: string): boolean {
  return one !== other && withinOneEdit(skeleton(one), skeleton(other));
}

/** Folds a name to what the eye keeps of it. */
export function skeleton(name: string): string {
  return name
    .toLowerCase()
    .replace(/[-._]/g, '')
    .replace(/[0-9]/g, (sign) => digits[sign] ?? sign)
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w')
    .replaceAll('cl', 'd')
    .replace(/[ij]/g, 'l');
}

const digits: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'l',
  '2': 'z',
  '5': 's',
  '6': 'b',
  '8': 'b',
  '9': 'g',
};

/** Says whether one sign put in, left out, changed, or changed with its neighbour makes the one the other. */
function withinOneEdit(one: string, other: string): boolean {
  let start = 0;
  while (start < one.length && one[start] === other[start]) start += 1;
  const rest = one.slice(start);
  const otherRest = other.slice(start);
  if (rest.slice(1) === otherRest.slice(1)) return true;
  if (rest.slice(1) === otherRest || rest === otherRest.slice(1)) return true;
  return rest[0] === otherRest[1] && rest[1] === otherRest[0] && rest.slice(2) === otherRest.slice(2);
}
