import type { Shape } from '../../../statements.ts';
import { isRecord } from '../../../../receipts/format/strict-json.ts';

/** Says whether a value has a shape. */
export function fits(shape: Shape, value: unknown): boolean {
  if (typeof shape === 'string') return fitsWord(shape, value);
  if (isList(shape)) {
    const [item, least = 0, most = Infinity] = shape;
    if (!Array.isArray(value) || value.length < least || value.length > most) return false;
    return value.every((one) => fits(item, one));
  }
  if (!isRecord(value)) return false;
  const shapeOf = (name: string): Shape | undefined => {
    // The marks of a shape are no names of members.
    const known = /^[?*]/.test(name) ? ['*'] : [name, `?${name}`, '*'];
    return shape[known.find((one) => Object.hasOwn(shape, one)) ?? '*'];
  };
  return (
    Object.keys(shape).every((name) => /^[?*]/.test(name) || Object.hasOwn(value, name)) &&
    Object.entries(value).every(([name, member]) => fits(shapeOf(name) ?? 'nothing', member))
  );
}

function isList(shape: Shape): shape is readonly [Shape, number?, number?] {
  return Array.isArray(shape);
}

function fitsWord(shape: string, value: unknown): boolean {
  const rest = shape.slice(1);
  if (shape.startsWith('=')) return value === rest;
  if (shape.startsWith('|')) return rest.split('|').includes(value as string);
  if (shape.startsWith('^')) return typeof value === 'string' && new RegExp(shape, 'u').test(value);
  const [least, most] = shape.split('..').map(Number);
  if (most !== undefined) return Number.isSafeInteger(value) && Number(value) >= Number(least) && Number(value) <= most;
  if (shape === 'text') return typeof value === 'string' && value !== '';
  return shape === 'any' || (shape === 'boolean' && typeof value === 'boolean');
}
