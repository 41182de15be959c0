import { type Limit, createBucket, type Bucket, type Taken } from '../../../../kernel/runner.ts';

/** A limit of rate. */
export type Rate = NonNullable<Limit['rate']>;

/** Counts runs against limits of rate. */
export interface Rates {
  /** `name`: the kind of what is limited, a space, and its id. */
  take(name: string, rate: Rate): Promise<Taken>;
}

/** Counts in the memory of this process. */
export class OwnRates implements Rates {
  readonly #buckets = new Map<string, { readonly rate: string; readonly bucket: Bucket }>();

  take(name: string, rate: Rate): Promise<Taken> {
    return this.#bucket(name, rate).take(name);
  }

  // A changed Orbiset may have another limit under the same name.
  #bucket(name: string, { count, window_s }: Rate): Bucket {
    const rate = `${count}/${window_s}`;
    const known = this.#buckets.get(name);
    if (known?.rate === rate) return known.bucket;
    const bucket = createBucket(kindOf(name), count, window_s, (id) => id);
    this.#buckets.set(name, { rate, bucket });
    return bucket;
  }
}

/** The kind of what is limited: the first word of its name. */
export function kindOf(name: string): string {
  return name.split(' ')[0] ?? '';
}
