import type { PricedModel, PriceEntry } from '../prices/file.ts';

/** A model in use whose price is wanted. */
export interface Wanted extends PricedModel {
  /** Names of its vendor in price lists. */
  readonly vendors: readonly string[];
}

/** What became of a list: the entries, and a line for each thing that they do not express. */
export interface Imported {
  readonly entries: readonly PriceEntry[];
  readonly notes: readonly string[];
}

/** What was converted, and where from. */
export interface ImportOf {
  readonly wanted: readonly Wanted[];
  readonly source: string;
  /** The day, UTC, from which prices hold that name no day. */
  readonly day: string;
}

/** An object of a JSON text whose numbers are the texts that the file holds. */
export type ExactObject = Readonly<Record<string, unknown>>;

/** Reads a JSON text; a number becomes the text that the file holds, so that no digit is lost. */
export function exactJson(text: string): unknown {
  const exact = (_: string, value: unknown, context?: { readonly source?: string }): unknown =>
    typeof value === 'number' ? (context?.source ?? String(value)) : value;
  return JSON.parse(text, exact) as unknown;
}

/** Takes a value for an object. */
export function objectOf(value: unknown): ExactObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as ExactObject) : undefined;
}

/** The time to live for which a price list means its price of writing to a cache. */
export function usualTtl(vendors: readonly string[]): string {
  return vendors.includes('anthropic') ? '5m' : 'default';
}

/** Says why a model is left out. */
export class Inexpressible extends Error {}
