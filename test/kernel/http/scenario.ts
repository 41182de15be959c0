import { expect } from 'chai';
import { expectProblem, send, type Sent } from '../../helpers/http.ts';
import { startHttp, type Fixture } from './fixture.ts';

/** One request and what must come back; a text in `has` is the whole value of the header. */
export interface Scenario extends Sent {
  readonly name: string;
  readonly path: string;
  readonly status: number;
  readonly problem?: string;
  readonly answer?: unknown;
  readonly detail?: RegExp;
  readonly has?: Readonly<Record<string, string | RegExp>>;
}

/** Declares a test per scenario, each against a server of its own. */
export function testScenarios(scenarios: readonly Scenario[]): void {
  let fixture: Fixture;
  beforeEach(async () => {
    fixture = await startHttp();
  });
  afterEach(() => fixture.http.drain(0));

  for (const { name, path, status, problem, answer, detail, has = {}, ...sent } of scenarios) {
    it(name, async () => {
      const received = await send(fixture.base, path, sent);
      expect(received.status, received.text).to.equal(status);
      if (problem !== undefined) expectProblem(received, status, problem);
      if (answer !== undefined) expect(received.json).to.deep.equal(answer);
      if (detail !== undefined) expect(received.json['detail']).to.match(detail);
      for (const [header, value] of Object.entries(has)) {
        if (typeof value === 'string') expect(received.headers.get(header)).to.equal(value);
        else expect(received.headers.get(header)).to.match(value);
      }
      expect(received.headers.get('x-content-type-options')).to.equal('nosniff');
      if (!('cache-control' in has)) expect(received.headers.get('cache-control')).to.equal('no-store');
    });
  }
}
