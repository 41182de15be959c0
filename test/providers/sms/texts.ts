/** Repeatable random numbers below a bound (mulberry32). */
export function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

// Without code points that join their neighbours, such as combining marks and parts of flags.
const alphabets = {
  basic: [...'@£$¥èéùìòÇØøÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡AZÄÖÑÜ§¿azäöñüà\n'],
  extension: [...'^{}\\[~]|€'],
  others: [...'’“”–…çÀñлЖ漢字かなשلا'],
  astral: [...'😀🎉🚀🍺💡𝒳𠀀'],
};

const borders = [1, 69, 70, 71, 134, 135, 153, 159, 160, 161, 201, 305, 306, 307, 459, 600];

/** Makes a random text: one to four alphabets, often with a length next to the borders of segments. */
export function randomText(random: (below: number) => number): string {
  const kinds = Object.values(alphabets).filter((_, at) => at === 0 || random(at === 1 ? 2 : 4) === 0);
  const length = random(2) === 0 ? (borders[random(borders.length)] ?? 1) + random(3) - 1 : 1 + random(600);
  const share = 1 + random(40);
  return Array.from({ length: Math.max(1, length) }, () => {
    const kind = random(share) === 0 ? kinds[random(kinds.length)] : kinds[0];
    return kind?.[random(kind.length)] ?? '';
  }).join('');
}
