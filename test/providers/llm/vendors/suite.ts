import { expect } from 'chai';
import fc from 'fast-check';
import { compile } from '../../../../kernel/index.ts';
import { chatOutputs } from '../../../../providers/llm/contract.ts';
import { assembled, call, createStage, question, type Ended, type ModelBed } from './bed.ts';

/** Declares what every adapter of models does with the answers of its vendor. */
export function answersAsDocumented(bed: ModelBed): void {
  const { double: start, open } = createStage(bed);
  const inputs = { ...question, model: bed.model };

  for (const streamed of [false, true])
    it(`reads an answer that is ${streamed ? '' : 'not '}streamed`, async () => {
      const double = await start();
      const { outputs, parts } = await call(await open(bed.config(double.url)), inputs, { streamed });
      expect(outputs).to.deep.equal(bed.outputs);
      expect(compile(chatOutputs)(outputs)).to.deep.equal([]);
      if (streamed) expect(bed.outputs).to.deep.include(assembled(parts));
    });

  it('reads a whole answer to a call that asked for a stream', async () => {
    const double = await start();
    const handle = await open(bed.config(double.url));
    double.manners.fault = {
      ...bed.contract(await requestOf(handle, double, inputs)),
      status: 200,
    };
    const { outputs, parts } = await call(handle, inputs, { streamed: true });
    expect(outputs).to.deep.equal(bed.outputs);
    expect(bed.outputs).to.deep.include(assembled(parts));
  });

  it('reads the same answer, wherever a stream is split', async () => {
    const double = await start();
    const handle = await open(bed.config(double.url));
    for (const lineEnd of ['\n', '\r\n', '\r']) {
      double.manners.fault = { stream: bed.stream.replaceAll('\n', lineEnd) };
      for (const split of lineEnd === '\r\n' ? [1, 7] : [3]) {
        double.manners.split = split;
        expect((await call(handle, inputs, { streamed: true })).outputs).to.deep.equal(bed.outputs);
      }
    }
  }).timeout(60_000);

  it('names its models as its configuration does, and passes on no other', async () => {
    const double = await start();
    const models = { fast: { name: bed.model, max_output_tokens: 77 } };
    const handle = await open({ ...bed.config(double.url), models });
    expect((await call(handle, { ...question, model: 'fast' })).outputs?.sent_model).to.equal(bed.model);
    expect(double.posts[0]?.body.toString()).to.include(`"model":"${bed.model}"`).and.to.include('77');
    const { error } = await call(handle, { ...question, model: 'toString' });
    expect(error).to.include({ outcome: 'provider_fault', phase: 'model' });
    expect(double.posts).to.have.length(1);
  });

  it('passes on parameters of the vendor that its configuration lists, and no others', async () => {
    const double = await start();
    const handle = await open({ ...bed.config(double.url), vendor_parameters: ['stream', 'prompt_cache_key'] });
    for (const vendor of [{ other: 1 }, { stream: true, model: 'x' }]) {
      const { error } = await call(handle, { ...inputs, vendor }, { streamed: true });
      expect(error?.outcome).to.equal('rejected');
    }
    expect((await call(handle, { ...inputs, vendor: { stream: 1 } }, { streamed: true })).error?.outcome).to.equal(
      'rejected',
    );
    expect(double.posts).to.have.length(0);
    await call(handle, { ...inputs, vendor: { prompt_cache_key: 'k' } });
    expect(double.posts[0]?.body.toString()).to.include('"prompt_cache_key":"k"');
  });

  it('goes on without its caller only if its configuration says so', async () => {
    const filled = { ...bed.config('http://localhost') };
    expect(compile(bed.adapter.config)(filled)).to.deep.equal([]);
    expect(bed.adapter.drainsOf?.(filled as never)).to.equal(false);
    expect(bed.adapter.drainsOf?.({ ...filled, on_caller_gone: 'drain' } as never)).to.equal(true);
  });

  it('calls another machine without TLS only with `plain`, and then warns', async () => {
    const config = { ...bed.config('http://192.0.2.1'), max_connections: 1 };
    const error = await open(config).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).to.include({ outcome: 'provider_fault', phase: 'open' });
    await open({ ...config, plain: true });
    expect(bed.adapter.warningsOf?.(config as never)).to.have.length(1);
    expect(bed.adapter.warningsOf?.(bed.config('http://localhost') as never)).to.deep.equal([]);
  });

  it('proves the key and the address by its probe, without an answer of a model', async () => {
    const double = await start();
    await (await open(bed.config(double.url))).probe?.(new AbortController().signal);
    expect(double.posts).to.have.length(0);
  });
}

/** Declares what every adapter of models does when a stream does not end. */
export function survivesCuts(bed: ModelBed): void {
  const { double: start, open } = createStage(bed);
  const inputs = { ...question, model: bed.model };
  const bytes = Buffer.byteLength(bed.stream);

  function defined({ error, outputs, parts }: Ended): void {
    if (outputs !== undefined) {
      const { usage: _, ...answer } = outputs;
      expect(bed.outputs).to.deep.include(answer);
      expect(outputs).to.deep.include(assembled(parts));
    } else {
      expect(error?.outcome).to.equal('unknown');
      const whole = bed.outputs as { content: string };
      const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
      expect(whole.content.startsWith(text)).to.equal(true);
    }
  }

  it('ends with the whole answer or as unknown, cut anywhere by a clean end', async () => {
    const double = await start();
    const handle = await open(bed.config(double.url));
    let whole = 0;
    const early = Array.from({ length: Math.ceil((bytes - 400) / 37) }, (_, at) => at * 37);
    const late = Array.from({ length: 100 }, (_, at) => bytes - at * 4);
    for (const at of [...early, ...late]) {
      double.manners.cut = { at, how: 'end' };
      const ended = await call(handle, inputs, { streamed: true });
      defined(ended);
      if (ended.outputs !== undefined) whole += 1;
    }
    expect(whole).to.be.within(1, 99);
  }).timeout(120_000);

  it('ends with the whole answer or as unknown, cut by a reset or by silence', async () => {
    const double = await start();
    const handle = await open({ ...bed.config(double.url), idle_timeout_ms: 100, first_part_timeout_ms: 200 });
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes), fc.constantFrom('reset' as const, 'silence' as const), async (at, how) => {
        double.manners.cut = { at, how };
        defined(await call(handle, inputs, { streamed: true }));
      }),
      { numRuns: 40 },
    );
  }).timeout(120_000);

  it('says by which limit it gave up, and closes the connection', async () => {
    const double = await start();
    const limits = { idle_timeout_ms: 100, first_part_timeout_ms: 150 };
    const handle = await open({ ...bed.config(double.url), ...limits });
    double.manners.cut = { at: 0, how: 'silence' };
    const first = await call(handle, inputs, { streamed: true });
    expect(first.error).to.include({ outcome: 'unknown', phase: 'first_part_timeout_ms' });
    double.manners.cut = { at: Math.floor(bytes / 2), how: 'silence' };
    const idle = await call(handle, inputs, { streamed: true });
    expect(idle.error).to.include({ outcome: 'unknown', phase: 'idle_timeout_ms' });
    expect(idle.parts).to.not.have.length(0);
    await double.quiet();
  });

  it('waits for a whole answer longer than for the first part of a stream', async () => {
    const double = await start();
    const handle = await open({ ...bed.config(double.url), first_part_timeout_ms: 100 });
    double.manners.delay_ms = 300;
    expect((await call(handle, inputs)).outputs).to.deep.equal(bed.outputs);
  });

  it('waits for a first part while comments come, as long as the limit of the first part lets it', async () => {
    const double = await start();
    const handle = await open({ ...bed.config(double.url), idle_timeout_ms: 100, first_part_timeout_ms: 20_000 });
    double.manners.comments = { count: 5, every_ms: 60 };
    expect((await call(handle, inputs, { streamed: true })).outputs).to.deep.equal(bed.outputs);
  });

  it('reads a stream that goes on after the limit of its first part', async () => {
    const double = await start();
    const handle = await open({ ...bed.config(double.url), first_part_timeout_ms: 500 });
    Object.assign(double.manners, { split: Math.ceil(bytes / 8), every_ms: 100 });
    expect((await call(handle, inputs, { streamed: true })).outputs).to.deep.equal(bed.outputs);
  });

  it('closes the connection when the call is aborted, streamed or not', async () => {
    const double = await start();
    const handle = await open(bed.config(double.url));
    double.manners.cut = { at: Math.floor(bytes * 0.6), how: 'silence' };
    const streamed = new AbortController();
    const ended = await call(handle, inputs, {
      streamed: true,
      signal: streamed.signal,
      taken: ({ type }) => type === 'text' && streamed.abort(),
    });
    expect(ended.error).to.include({ outcome: 'unknown', phase: 'deadline' });
    await double.quiet();
    double.manners.delay_ms = 60_000;
    const signal = AbortSignal.timeout(100);
    expect((await call(handle, inputs, { signal })).error).to.include({ outcome: 'unknown', phase: 'deadline' });
    await double.quiet();
  });

  it('waits for a caller that takes its time, without calling that a silence of the vendor', async () => {
    const double = await start();
    const handle = await open({ ...bed.config(double.url), idle_timeout_ms: 100 });
    let slow = 3;
    const taken = async (): Promise<void> => {
      if (slow-- > 0) await new Promise((resolve) => setTimeout(resolve, 60));
    };
    expect((await call(handle, inputs, { streamed: true, taken })).outputs).to.deep.equal(bed.outputs);
  });
}

/** Declares that refusals have one outcome each, and show no secret and no sentence. */
export function refusesAs(
  bed: ModelBed,
  answers: readonly (readonly [name: string, fault: unknown, outcome: string])[],
): void {
  const { double: start, open } = createStage(bed);
  const inputs = { ...question, model: bed.model };
  for (const [name, fault, outcome] of answers)
    for (const streamed of [false, true])
      it(`${name} is ${outcome}, ${streamed ? 'streamed' : 'whole'}`, async () => {
        const double = await start();
        double.manners.fault = fault as never;
        const { error } = await call(await open(bed.config(double.url)), inputs, { streamed });
        expect(error?.outcome).to.equal(outcome);
        expect(JSON.stringify([error?.message, error?.remedy])).to.not.include(bed.secret);
        expect(error?.message).to.not.include('secret words');
        expect(double.posts).to.have.length(1);
      });
}

async function requestOf(
  handle: Parameters<typeof call>[0],
  double: { readonly posts: readonly unknown[] },
  inputs: object,
): Promise<Parameters<ModelBed['contract']>[0]> {
  await call(handle, inputs);
  return double.posts.at(-1) as Parameters<ModelBed['contract']>[0];
}
