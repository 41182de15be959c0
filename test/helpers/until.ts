/**
 * Asks until an answer fits, and answers it; gives up after 100 s, naming what was found last. It waits `everyMs` in
 * between: by default as long as an address must that asks a public route again and again.
 */
export async function until<T>(
  ask: () => T | Promise<T>,
  fits: (found: T) => boolean | Promise<boolean>,
  what = 'this',
  everyMs = 50,
): Promise<T> {
  for (const deadline = Date.now() + 100_000; ;) {
    const found = await ask();
    if (await fits(found)) return found;
    if (Date.now() > deadline) throw new Error(`waited in vain for ${what}: ${JSON.stringify(found)}`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
