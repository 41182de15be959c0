import htm from 'htm';
import { h, type VNode } from 'preact';

/** Writes elements as templates: no build, no JSX. Values are escaped by the DOM, never parsed. */
export const html = (
  htm as unknown as { bind(make: typeof h): (texts: TemplateStringsArray, ...values: readonly unknown[]) => VNode }
).bind(h);
