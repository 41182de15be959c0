import { PlatformError } from '../../error.ts';
import { integer } from '../../tools/schema.ts';

/** Query members of a list that pages by cursor: `limit` 1–100 (20) and an opaque `cursor`. */
export const pageQuery = {
  limit: integer(1, 100, 20, 'Maximum number of items on a page; with a filter there can be fewer'),
  cursor: {
    type: 'string',
    maxLength: 300,
    description: '`next_cursor` of the previous page; the first page needs none',
  },
} as const;

/** Makes the opaque cursor that continues after an id. */
export function cursorAfter(id: string): string {
  return Buffer.from(id).toString('base64url');
}

/** Reads a cursor of this program: the id it continues after. Throws 400 `invalid_parameter` for any other text. */
export function idOfCursor(cursor: string | undefined, prefix: string): string | undefined {
  return textOfCursor(cursor, new RegExp(`^${prefix}[0-9A-HJKMNP-TV-Z]{26}$`));
}

/** Reads a cursor of this program whose id has another form. Throws 400 `invalid_parameter` for any other text. */
export function textOfCursor(cursor: string | undefined, form: RegExp): string | undefined {
  if (cursor === undefined) return undefined;
  const id = Buffer.from(cursor, 'base64url').toString();
  if (form.test(id) && cursorAfter(id) === cursor) return id;
  throw new PlatformError(
    'invalid_parameter',
    'the cursor is not valid: use next_cursor of the previous page; the first page needs no cursor',
    {
      errors: [
        {
          pointer: '#/cursor',
          detail:
            'is not a cursor of this list: use `next_cursor` of the previous page; the first page needs no `cursor`',
        },
      ],
    },
  );
}

/** Makes the member `next_cursor` of the answer of a page that says below which id the list goes on. */
export function nextOf({ next }: { readonly next?: string }): { readonly next_cursor?: string } {
  return next === undefined ? {} : { next_cursor: cursorAfter(next) };
}

/** Cuts a list that was read with one item more than `limit` into a page and the cursor of the next one. */
export function pageOf<T>(
  items: readonly T[],
  limit: number,
  idOf: (item: T) => string,
): { items: readonly T[]; next_cursor?: string } {
  const page = items.slice(0, limit);
  const last = page.at(-1);
  return items.length > limit && last !== undefined
    ? { items: page, next_cursor: cursorAfter(idOf(last)) }
    : { items: page };
}
