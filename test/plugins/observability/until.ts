/** Asks again and again until an answer fits, and answers it; gives up after half a minute. */
export async function until<T>(ask: () => Promise<T>, fits: (found: T) => boolean): Promise<T> {
  for (const deadline = Date.now() + 30_000; ;) {
    const found = await ask();
    if (fits(found)) return found;
    if (Date.now() > deadline) throw new Error(`waited in vain: ${JSON.stringify(found)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
