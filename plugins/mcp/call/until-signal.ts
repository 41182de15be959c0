/** Resolves to the result of work; to undefined when the time is over or a signal comes before. */
export async function untilSignal<T>(
  work: Promise<T>,
  ms: number,
  signals: readonly AbortSignal[],
): Promise<T | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const over = (): void => resolve(undefined);
  if (signals.some(({ aborted }) => aborted)) over();
  for (const signal of signals) signal.addEventListener('abort', over, { once: true });
  const timer = setTimeout(over, ms);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
    for (const signal of signals) signal.removeEventListener('abort', over);
  }
}
