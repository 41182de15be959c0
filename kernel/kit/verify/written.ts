/** What was written past the log while somebody listened. */
export interface Output {
  written(): readonly string[];
  /** Stops listening. */
  stop(): void;
}

/** Listens to standard output and standard error: what an adapter prints there can hold a secret too. */
export function listenToOutput(): Output {
  const texts: string[] = [];
  const stops = [process.stdout, process.stderr].map((stream) => {
    const write = stream.write.bind(stream);
    stream.write = (chunk: string | Uint8Array, ...rest: unknown[]) => {
      texts.push(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8'));
      // The remaining arguments are the optional encoding and callback of the same call.
      return (write as (...given: unknown[]) => boolean)(chunk, ...rest);
    };
    return () => void (stream.write = write);
  });
  return { written: () => texts, stop: () => stops.forEach((stop) => stop()) };
}
