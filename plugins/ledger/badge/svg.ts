import { createHash } from 'node:crypto';
import type { Badge } from './badge.ts';

/** Looks of a badge. */
export const styles = ['flat', 'flat-square', 'plastic', 'for-the-badge', 'social'] as const;
/** Look of a badge. */
export type Style = (typeof styles)[number];

/** A drawn badge with its validator. */
interface Drawn {
  readonly svg: string;
  /** Strong entity tag, with its quotes. */
  readonly etag: string;
}

/** Draws a badge. */
export type Draw = (badge: Badge, style: Style) => Drawn;

/**
 * Makes the function that draws badges; it keeps the last `most` badges in memory. It loads the letter widths of four
 * fonts, which makes a start that awaits it a tenth longer.
 */
export async function createDrawing(most = 500): Promise<Draw> {
  const { makeBadge } = await import('badge-maker');
  // Pass no links, logo or ids: `links` would accept any URL scheme.
  const draw: Draw = ({ label, message, color }, style) => {
    const svg = makeBadge({ label, message, color, style });
    return { svg, etag: etagOf(svg) };
  };
  const kept = new Map<string, Drawn>();
  return (badge, style) => {
    const key = JSON.stringify([style, badge.label, badge.message, badge.color]);
    const drawn = kept.get(key) ?? draw(badge, style);
    // Least recently used: a badge that is read again moves to the end of the map.
    kept.delete(key);
    kept.set(key, drawn);
    const [oldest] = kept.keys();
    if (kept.size > most && oldest !== undefined) kept.delete(oldest);
    return drawn;
  };
}

/** Makes the strong validator of a text. */
export function etagOf(text: string): string {
  return `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`;
}
