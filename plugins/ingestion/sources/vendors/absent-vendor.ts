import { defineVendor, type Vendor } from './vendor.ts';
import { Undecodable } from '../payload/undecodable.ts';

/**
 * Makes the vendor of sources whose plugin is not loaded: their deliveries stay, and are read when the plugin is loaded
 * again.
 */
export function absentVendor(name: string): Vendor {
  return defineVendor({
    name,
    absent: true,
    version: 0,
    limits: { bytes: 256 * 1024, keys: 10_000 },
    schemes: ['signature', 'header', 'bearer', 'basic', 'url'],
    normalize() {
      throw new Undecodable('vendor_absent', `the plugin of the vendor ${name} is not loaded; load it, and replay`);
    },
    fixture: () => ({ headers: {}, body: '' }),
    setup: () => ({ steps: [`Load the plugin of the vendor ${name}.`], snippets: [] }),
  });
}
