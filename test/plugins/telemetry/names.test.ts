import * as standard from '@opentelemetry/semantic-conventions/incubating';
import { expect } from 'chai';
import { attributeNames, callerSpan } from '../../../plugins/observability/contract.ts';

describe('the names of attributes', () => {
  it('are those of OpenTelemetry, or our own', () => {
    const known = new Set<unknown>(Object.values(standard));
    const others = Object.values(attributeNames).filter((name) => !known.has(name));
    expect(others.filter((name) => !name.startsWith('orb.'))).to.deep.equal([]);
    expect(Object.values(attributeNames).filter((name) => /^(?:gen_ai|mcp)\./.test(name))).to.have.length.greaterThan(
      8,
    );
  });

  it('tell the span of a caller from one that the server began', () => {
    const half = '33577b34da6a3ce9';
    expect(callerSpan(`00-4bf92f35${half}29d0e0e4-${half}-01`)).to.equal(undefined);
    expect(callerSpan(`00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`)).to.equal('00f067aa0ba902b7');
    expect(callerSpan(undefined)).to.equal(undefined);
  });
});
