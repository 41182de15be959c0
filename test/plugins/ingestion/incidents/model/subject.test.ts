import { expect } from 'chai';
import { globMatches, mapSubject } from '../../../../../plugins/ingestion/incidents/model/subject.ts';
import type { SubjectHint } from '../../../../../plugins/ingestion/signals/signal.ts';
import { signalOf, sourceOf, type Said } from '../bench.ts';
import type { SourceSubjects } from '../../../../../plugins/ingestion/sources/settings/schema.ts';

const existing = {
  orbs: () => ['notify.email@2.0.0', 'demo.echo@1.0.0', 'other.thing@1.0.0', 'notify.email@1.0.0'],
  orbiset: (id: string) => (id === 'mail' ? ['notify.email@2.0.0', 'notify.email@1.0.0'] : undefined),
};

const hint = (name: SubjectHint['name'], value: string, more: Partial<SubjectHint> = {}): SubjectHint => ({
  name,
  value,
  origin: 'label',
  outsider: false,
  ...more,
});

const all = { orbs: ['notify.*', 'demo.echo@1.0.0'], providers: ['smtp-main'], components: ['runtime'] };

interface Row {
  readonly name: string;
  readonly subjects?: Partial<SourceSubjects>;
  readonly said?: Partial<Said>;
  /** `<rule>: <kind> <id>, …`, with `!` before it when an outsider could have written it. */
  readonly expected: string;
}

const rows: readonly Row[] = [
  { name: 'nothing is named by default', said: { hints: [hint('provider', 'smtp-main')] }, expected: 'unmapped: ' },
  {
    name: 'the binding goes before all else',
    subjects: { binding: { kind: 'component', id: 'ingestion' }, may_name: all },
    said: { hints: [hint('provider', 'smtp-main')] },
    expected: 'binding: component ingestion',
  },
  {
    name: 'an Orbiset is its Orbs',
    subjects: { binding: { kind: 'orbiset', id: 'mail' } },
    expected: 'binding: orb notify.email@1.0.0, orb notify.email@2.0.0',
  },
  {
    name: 'an Orbiset that there is not maps to nothing',
    subjects: { binding: { kind: 'orbiset', id: 'gone' } },
    expected: 'unmapped: ',
  },
  {
    name: 'a label names an Orb exactly',
    subjects: { may_name: all },
    said: { hints: [hint('orb_id', 'notify.email@2.0.0')] },
    expected: 'label: orb notify.email@2.0.0',
  },
  {
    name: 'or by name and version apart',
    subjects: { may_name: all },
    said: { hints: [hint('orb', 'notify.email'), hint('orb_version', '1.0.0')] },
    expected: 'label: orb notify.email@1.0.0',
  },
  {
    name: 'or all its versions',
    subjects: { may_name: all },
    said: { hints: [hint('orb', 'notify.email')] },
    expected: 'label: orb notify.email@1.0.0, orb notify.email@2.0.0',
  },
  {
    name: 'a name with its version needs no other',
    subjects: { may_name: all },
    said: { hints: [hint('orb', 'notify.email@2.0.0'), hint('orb_version', '1.0.0')] },
    expected: 'label: orb notify.email@2.0.0',
  },
  {
    name: 'a label names a provider',
    subjects: { may_name: all },
    said: { hints: [hint('provider', 'smtp-main')] },
    expected: 'label: provider smtp-main',
  },
  {
    name: 'a label names an Orbiset, by those of its Orbs that may be named',
    subjects: { may_name: { ...all, orbs: ['notify.email@1.0.0'] } },
    said: { hints: [hint('orbiset', 'mail')] },
    expected: 'label: orb notify.email@1.0.0',
  },
  {
    name: 'an Orbiset without an Orb that may be named gives way to a component',
    subjects: { may_name: { ...all, orbs: [] } },
    said: { hints: [hint('orbiset', 'mail'), hint('component', 'runtime')] },
    expected: 'label: component runtime',
  },
  {
    name: 'a name in may_name means every version',
    subjects: { may_name: { ...all, orbs: ['notify.email'] } },
    said: { hints: [hint('orb', 'notify.email')] },
    expected: 'label: orb notify.email@1.0.0, orb notify.email@2.0.0',
  },
  {
    name: 'but no name that only begins like it',
    subjects: { may_name: { ...all, orbs: ['notify.em', 'notify'] } },
    said: { hints: [hint('orb', 'notify.email')] },
    expected: 'unmapped: ',
  },
  {
    name: 'an Orb that there is not is none',
    subjects: { may_name: all },
    said: { hints: [hint('orb_id', 'notify.fax@1.0.0')] },
    expected: 'unmapped: ',
  },
  {
    name: 'what may not be named gives way to what may',
    subjects: { may_name: all },
    said: { hints: [hint('orb_id', 'other.thing@1.0.0'), hint('service', 'runtime')] },
    expected: 'label: component runtime',
  },
  {
    name: 'the URL goes before labels, and anyone can write it',
    subjects: { may_name: all },
    said: {
      hints: [hint('orb_id', 'demo.echo@1.0.0', { origin: 'query', outsider: true }), hint('provider', 'smtp-main')],
    },
    expected: '!query: orb demo.echo@1.0.0',
  },
  {
    name: 'of a source whose URL is its only secret the query says nothing',
    subjects: { may_name: all },
    said: { strength: 'url_token', hints: [hint('provider', 'smtp-main', { origin: 'query', outsider: true })] },
    expected: 'unmapped: ',
  },
  {
    name: 'the query of a source with a secret counts',
    subjects: { may_name: all },
    said: { strength: 'shared_secret', hints: [hint('provider', 'smtp-main', { origin: 'query', outsider: true })] },
    expected: '!query: provider smtp-main',
  },
  {
    name: 'an alias names an Orb',
    subjects: {
      may_name: all,
      aliases: [{ label: 'host', value: '*', subject: { kind: 'orb', id: 'demo.echo' } }],
    },
    said: { labels: { host: 'mail-7' } },
    expected: 'alias:0: orb demo.echo@1.0.0',
  },
  {
    name: 'an alias names a component',
    subjects: {
      may_name: all,
      aliases: [{ label: 'host', value: 'mail-7', subject: { kind: 'component', id: 'runtime' } }],
    },
    said: { labels: { host: 'mail-7' } },
    expected: 'alias:0: component runtime',
  },
  {
    name: 'an alias of another value, or of a label that is not there, says nothing',
    subjects: {
      may_name: all,
      aliases: ['host', 'constructor', 'none'].map((label) => ({
        ...{ label, value: label === 'host' ? 'web-*' : '*', subject: { kind: 'provider', id: 'smtp-main' } },
      })),
    },
    said: { labels: { host: 'mail-7' } },
    expected: 'unmapped: ',
  },
  {
    name: 'an alias names a subject, within may_name',
    subjects: {
      may_name: all,
      aliases: [
        { label: 'host', value: 'mail-*', subject: { kind: 'provider', id: 'other' } },
        { label: 'host', value: 'mail-*', subject: { kind: 'provider', id: 'smtp-main' } },
      ],
    },
    said: { labels: { host: 'mail-7' } },
    expected: 'alias:1: provider smtp-main',
  },
  {
    name: 'the default component takes what maps to nothing else',
    subjects: { default_component: 'runtime' },
    expected: 'default: component runtime',
  },
  {
    name: 'an outsider cannot take an alert away from its subject',
    subjects: { may_name: all, default_component: 'runtime' },
    said: { hints: [hint('orb_id', 'demo.echo@1.0.0', { outsider: true })] },
    expected: 'default: component runtime',
  },
  {
    name: 'what an outsider names is known as such',
    subjects: { may_name: all },
    said: { hints: [hint('orb_id', 'demo.echo@1.0.0', { outsider: true })] },
    expected: '!label: orb demo.echo@1.0.0',
  },
  {
    name: 'and so is an alias of a label that outsiders write',
    subjects: {
      may_name: all,
      aliases: [{ label: 'tag', value: 'x', subject: { kind: 'provider', id: 'smtp-main' } }],
    },
    said: { labels: { tag: 'x' }, outsider_labels: true },
    expected: '!alias:0: provider smtp-main',
  },
  {
    name: 'an outsider cannot take an alert away by a label with an alias either',
    subjects: {
      may_name: all,
      default_component: 'runtime',
      aliases: [{ label: 'tag', value: 'x', subject: { kind: 'provider', id: 'smtp-main' } }],
    },
    said: { labels: { tag: 'x' }, outsider_labels: true },
    expected: 'default: component runtime',
  },
];

describe('the subject of a signal', () => {
  it('is at most 50 Orbs, the first by name', () => {
    const orbs = Array.from({ length: 60 }, (_, index) => `a.b@1.0.${10 + ((index * 7) % 60)}`);
    const source = sourceOf('one', {}, { binding: { kind: 'orbiset', id: 'many' } });
    const many = { orbs: () => orbs, orbiset: () => orbs };
    const { scope } = mapSubject(signalOf(source, { at: 0 }), source.subjects, many);
    expect(scope.map(({ id }) => id)).to.deep.equal([...orbs].sort().slice(0, 50));
  });

  for (const { name, subjects = {}, said = {}, expected } of rows)
    it(name, () => {
      const source = sourceOf('one', {}, subjects);
      const { scope, rule, outsider } = mapSubject(signalOf(source, { at: 0, ...said }), source.subjects, existing);
      const words = scope.map(({ kind, id }) => `${kind} ${id}`).join(', ');
      expect(`${outsider ? '!' : ''}${rule}: ${words}`).to.equal(expected);
    });

  const globs: readonly (readonly [string, string, boolean])[] = [
    ['mail', 'mail', true],
    ['mail', 'mail-1', false],
    ['*', '', true],
    ['a*b', 'ab', true],
    ['a*a', 'a', false],
    ['a*b', 'axc', false],
    ['a*b', 'xab', false],
    ['a*b*c', 'a-c-b', false],
    ['a*b*c', 'a-b-b-c', true],
    ['a*bb*b', 'abb', false],
    ['a*b*c', 'abc', true],
    ['a*b*c', 'a-x-c', false],
    ['a*b*b*c', 'a-b-c', false],
    ['a*b*c', 'abd', false],
    ['a*bc*cd', 'abcd', false],
    ['(a+)+$', '(a+)+$', true],
  ];
  for (const [pattern, text, fits] of globs)
    it(`the pattern ${pattern} ${fits ? 'fits' : 'does not fit'} '${text}'`, () => {
      expect(globMatches(pattern, text)).to.equal(fits);
    });
});
