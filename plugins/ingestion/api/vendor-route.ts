import { defineRoute, exactly, type Route } from '../../../kernel/index.ts';
import { allVendors } from '../sources/vendor-list.ts';
import type { Vendor } from '../sources/vendors/vendor.ts';
import { managed, setupSchema } from './scope.ts';

/** Schema of the vendors of sources. */
export const vendorList = exactly('VendorList', {
  vendors: {
    type: 'array',
    description: 'Those that are built in, then those of plugins',
    items: exactly({
      vendor: { type: 'string', description: 'Name of the vendor' },
      schemes: {
        type: 'array',
        description: 'Supported authentication schemes, the default first',
        items: { enum: ['signature', 'header', 'bearer', 'basic', 'url'] },
      },
      setup: { ...setupSchema, description: 'What to enter at the vendor, with the default scheme' },
    }),
  },
});

/** Makes the route that lists the vendors a source can be of, with what is to be entered there. */
export const vendorsRoute = ({ publicUrl }: { readonly publicUrl: string }): Route =>
  defineRoute({
    ...managed,
    method: 'GET',
    path: '/sources/vendors',
    operationId: 'listVendors',
    summary: 'List the vendors, with what to enter at each',
    response: vendorList,
    handle: () => ({ vendors: allVendors().map((vendor) => shown(vendor, publicUrl)) }),
  });

function shown({ name: vendor, schemes, auth, setup }: Vendor, publicUrl: string): object {
  const url = `${publicUrl}/hooks/{source_token}`;
  const scheme = schemes[0] ?? 'url';
  const secret = scheme === 'url' ? '' : '{secret}';
  return { vendor, schemes, setup: { vendor, url, ...setup({ url, secret, auth: { scheme, ...auth } }) } };
}
