import { PlatformError } from '../../kernel/index.ts';

const tries = 3;

/** A change was refused because another node was first, or because the store is away. */
class Overtaken extends PlatformError {
  constructor(cause: PlatformError) {
    super('storage_unavailable', cause.message, { retry_after: 1 });
  }
}

/** Attests a change that the store refuses when another node was first; then `againWhenOvertaken` does it again. */
export function overtakable<T>(attested: Promise<T>): Promise<T> {
  return attested.catch((error: unknown) => {
    const refused = error instanceof PlatformError && error.code === 'storage_unavailable';
    throw refused ? new Overtaken(error) : error;
  });
}

/** Repeats work with fresh data when another node was first; `forget` drops the cached data. */
export async function againWhenOvertaken<T>(
  { shared, forget = () => undefined }: { readonly shared: boolean; readonly forget?: () => void },
  work: () => Promise<T>,
): Promise<T> {
  for (let left = tries - 1; ; left--) {
    try {
      return await work();
    } catch (error) {
      if (!shared || left === 0 || !(error instanceof Overtaken)) throw error;
      forget();
    }
  }
}
