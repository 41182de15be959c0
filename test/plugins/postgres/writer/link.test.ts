import { expect } from 'chai';
import { Refused, type Answered } from '../../../../plugins/postgres/connection/flush.ts';
import { Link } from '../../../../plugins/postgres/writer/link.ts';
import type { Session } from '../../../../plugins/postgres/connection/session.ts';

const answers: readonly Answered[] = [{ rows: [{ one: 1 }], changed: 1, tag: 'SELECT 1' }];

describe('a read of the writer on PostgreSQL', () => {
  /** Reads while the server refuses the first `times` flushes; answers how often it was sent, too. */
  const read = async (code: string, times: number) => {
    let sent = 0;
    const session = {
      flush: async () => {
        if (sent++ < times) throw new Refused('refused', code, 0);
        return answers;
      },
    } as unknown as Session;
    const head = { node: 'a', incarnation: 'i', epoch: 1, batch: 0 };
    const link = new Link({ open: async () => session, session, head });
    const found = await link.read([]).catch((error: unknown) => error);
    return { found, sent };
  };

  it('is sent again when another transaction disturbed it', async () => {
    for (const code of ['40001', '40P01']) expect(await read(code, 3)).to.deep.equal({ found: answers, sent: 4 });
  });

  it('answers 503 when it is disturbed again and again, or took too long', async () => {
    for (const [code, sent] of [
      ['40001', 5],
      ['57014', 1],
      ['55P03', 1],
    ] as const) {
      const { found, sent: times } = await read(code, 99);
      expect(found, code).to.include({ code: 'storage_unavailable' });
      expect(times, code).to.equal(sent);
    }
  });

  it('fails as it is when its statement is at fault', async () => {
    expect((await read('42703', 99)).found).to.be.instanceOf(Refused);
  });
});
