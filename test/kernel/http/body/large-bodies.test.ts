import { expect } from 'chai';
import { PlatformError } from '../../../../kernel/error.ts';
import { LargeBodies } from '../../../../kernel/http/body/large-bodies.ts';
import { until } from '../../../helpers/until.ts';

const MiB = 1024 * 1024;

/** Large bodies whose examination the test ends. */
function examined() {
  const asked: { readonly text: string; readonly settle: (error?: Error) => void }[] = [];
  const thread = {
    run: ({ bytes }: { readonly bytes: Uint8Array }) =>
      new Promise<undefined>((resolve, reject) => {
        const settle = (error?: Error): void => (error === undefined ? resolve(undefined) : reject(error));
        asked.push({ text: Buffer.from(bytes).toString(), settle });
      }),
    stop: async () => undefined,
  };
  let now = 0;
  const bodies = new LargeBodies({ clock: { monotonic: () => now }, thread });
  return { bodies, asked, pass: (ms: number) => void (now += ms) };
}

const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
};

describe('large bodies', () => {
  it('are examined by the other thread one after the other, callers in turn', async () => {
    const { bodies, asked } = examined();
    const parsed = ['1', '2', '3'].map((text) => bodies.parse('prn_many', Buffer.from(text)));
    const other = bodies.parse('prn_one', Buffer.from('4'));
    for (const expected of ['1', '2', '4', '3']) {
      await settled();
      expect(asked.at(-1)?.text).to.equal(expected);
      asked.at(-1)?.settle();
    }
    expect(await Promise.all([...parsed, other])).to.deep.equal([1, 2, 3, 4]);
  });

  it('that are refused let their caller rest, while those of others are examined', async () => {
    const { bodies, asked, pass } = examined();
    const refused = bodies.parse('prn_bad', Buffer.from('1')).catch((error: unknown) => error);
    const next = bodies.parse('prn_bad', Buffer.from('2'));
    await settled();
    pass(50);
    asked[0]?.settle(new PlatformError('malformed_json', 'no'));
    expect(await refused).to.include({ code: 'malformed_json' });
    const other = bodies.parse('prn_good', Buffer.from('3'));
    await until(
      () => asked.length,
      (count) => count > 1,
    );
    expect(asked.map(({ text }) => text)).to.deep.equal(['1', '3']);
    asked[1]?.settle();
    expect(await other).to.equal(3);
    pass(101);
    await until(
      () => asked.length,
      (count) => count > 2,
    );
    asked[2]?.settle();
    expect(await next).to.equal(2);
  });

  it('wait up to a bound of bytes for each caller, and one for all', async () => {
    const { bodies, asked } = examined();
    const codes: string[] = [];
    const ask = (caller: string, bytes: number): void =>
      void bodies.parse(caller, Buffer.alloc(bytes, ' ')).catch(({ code }: PlatformError) => codes.push(code));
    ask('prn_0', 1);
    await settled();
    for (let one = 0; one < 17; one += 1) ask('prn_1', MiB);
    await settled();
    expect(codes).to.deep.equal(['rate_limited']);
    for (const caller of ['prn_2', 'prn_3', 'prn_4']) ask(caller, 16 * MiB);
    ask('prn_5', 1);
    await settled();
    expect(codes).to.deep.equal(['rate_limited', 'overloaded']);
    expect(asked).to.have.length(1);
  });
});
