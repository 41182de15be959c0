/** Red, green and blue, 0–255. */
export type Rgb = readonly [number, number, number];

/** Reads `#rgb` or `#rrggbb`. */
export function rgbOf(hex: string): Rgb {
  const full = hex.length === 4 ? hex.replace(/[0-9a-f]/gi, '$&$&') : hex;
  const value = Number.parseInt(full.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

/** Lays a colour of an opacity (0–1) over another. */
export function over(top: Rgb, opacity: number, below: Rgb): Rgb {
  const mix = (at: 0 | 1 | 2): number => top[at] * opacity + below[at] * (1 - opacity);
  return [mix(0), mix(1), mix(2)];
}

/** Computes the contrast of two colours, 1–21 (WCAG 2.2). */
export function contrast(one: Rgb, other: Rgb): number {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return ((light ?? 0) + 0.05) / ((dark ?? 0) + 0.05);
}

function luminance([red, green, blue]: Rgb): number {
  const linear = (value: number): number =>
    value <= 10.31475 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4;
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

/** The gradient that lies over a badge: stops by offset, from top to bottom. */
export interface Stop {
  readonly offset: number;
  readonly color: Rgb;
  readonly opacity: number;
}

/** Reads the stops of a drawn badge; empty without a gradient. */
export function stopsOf(svg: string): readonly Stop[] {
  return [...svg.matchAll(/<stop ([^>]*)\/>/g)].map(([, attributes = '']) => {
    const value = (name: string): string | undefined => new RegExp(`\\b${name}="([^"]+)"`).exec(attributes)?.[1];
    return {
      offset: Number(value('offset') ?? 0),
      color: rgbOf(value('stop-color') ?? '#000000'),
      opacity: Number(value('stop-opacity') ?? 1),
    };
  });
}

/** Computes the colour of a background under a gradient at a height (0 top – 1 bottom). */
export function shadedAt(background: Rgb, stops: readonly Stop[], height: number): Rgb {
  const next = stops.find(({ offset }) => offset >= height) ?? stops.at(-1);
  const before = [...stops].reverse().find(({ offset }) => offset <= height) ?? stops[0];
  if (next === undefined || before === undefined) return background;
  const span = next.offset - before.offset;
  const part = span === 0 ? 0 : (height - before.offset) / span;
  const color = over(next.color, part, before.color);
  return over(color, before.opacity + (next.opacity - before.opacity) * part, background);
}
