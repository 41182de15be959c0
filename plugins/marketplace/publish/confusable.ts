/**
 * Says whether two Orb names can be mistaken for each other. Names are `<namespace>.<orb-name>` and contain only a–z,
 * 0–9, `-`, `_` and `.`, so a skeleton folds characters that look alike in common typefaces and drops separators.
 */
export function confusable(one: string, other: string): boolean {
  return one !== other && withinOneEdit(skeleton(one), skeleton(other));
}

/** Folds a name to its skeleton: names that look alike get equal skeletons. */
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

/** Says whether one inserted, removed, replaced or swapped character turns one text into the other. */
function withinOneEdit(one: string, other: string): boolean {
  let start = 0;
  while (start < one.length && one[start] === other[start]) start += 1;
  const rest = one.slice(start);
  const otherRest = other.slice(start);
  if (rest.slice(1) === otherRest.slice(1)) return true;
  if (rest.slice(1) === otherRest || rest === otherRest.slice(1)) return true;
  return rest[0] === otherRest[1] && rest[1] === otherRest[0] && rest.slice(2) === otherRest.slice(2);
}
