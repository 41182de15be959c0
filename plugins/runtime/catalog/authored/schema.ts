import { escapeName, namesIn, placesOf, resolveReferences, type Place, type Refuse } from './places.ts';
import { type Fault, type JsonSchema, type Validator } from '../../../../kernel/index.ts';
import { checkDialect, compileAlone, type Dialect, type Weight } from '../../../../kernel/runner.ts';
import { RE2JS } from 're2js';
import { parsePattern } from './pattern-syntax.ts';

/**
 * Compiles one schema of a manifest. Faults go to `refuse`, and then there is no validator. Throws when ajv itself
 * finds a fault, and when the schemas are too large.
 */
export type CompileAuthored = (schema: JsonSchema, refuse: Refuse) => Validator | undefined;

// A thousand keywords compile in some 20 ms, the slowest kinds in 50 ms; no shipped manifest has 100.
const mostKeywords = 1000;
// A few nanoseconds per step: one validation takes at most a fifth of a second on a busy machine.
const mostSteps = 40_000_000;
const stepsOfPlace = 25;
const tooLarge = `more than ${mostKeywords} keywords, names and values in the schemas of a manifest; shorten them, or share parts in $defs`;

/** How the schemas of a manifest are read. */
export interface Reading {
  /** Returns the dialect of a schema; throws for one that cannot be read. */
  readonly dialectOf: (schema: JsonSchema) => Dialect;
  /** Rewrites one place before it is compiled. */
  readonly prepare?: (place: Place['schema'], dialect: Dialect) => void;
  /** Unknown keywords and formats are annotations, and defaults are not filled in. */
  readonly lenient?: boolean;
}

const asAuthored: Reading = { dialectOf: () => '2020-12' };

/**
 * Makes the compiler of one manifest's schemas, which an author wrote: it limits their total cost of compiling and the
 * cost of each validation, and refuses schemas whose validation would never end.
 */
export function authoredCompiler(reading: Reading = asAuthored): CompileAuthored {
  let before = 0;
  return (written, refuse) => {
    let keywords = before;
    const grow = (more: number): void => {
      keywords += more;
      if (keywords > mostKeywords) throw new Error(tooLarge);
    };
    const { $id, ...schema } = structuredClone(written);
    // The size is checked first: the meta-schema would take long to find thousands of faults.
    const places = placesOf(schema, grow);
    const dialect = reading.dialectOf(written);
    checkDialect(written, dialect);
    for (const place of places.values()) reading.prepare?.(place.schema, dialect);
    let sound = true;
    const refused: Refuse = (pointer, detail) => {
      sound = false;
      refuse(pointer, detail);
    };
    resolveReferences(places, $id, refused);
    const work = newWork(mostSteps);
    const matchers = matchersOf(places, { work, grow, refuse: refused });
    before = keywords;
    return sound ? compiled(schema, { places, matchers, work, dialect, lenient: reading.lenient === true }) : undefined;
  };
}

interface Searching {
  readonly work: Work;
  readonly grow: (keywords: number) => void;
  readonly refuse: Refuse;
}

function matchersOf(
  places: ReadonlyMap<string, Place>,
  { work, grow, refuse }: Searching,
): ReadonlyMap<string, Matcher> {
  const matchers = new Map<string, Matcher>();
  for (const place of places.values())
    for (const [pointer, source] of patternsAt(place)) {
      if (matchers.has(source)) continue;
      try {
        const { size, compile } = linearPattern(source);
        grow(Math.ceil(size / 4));
        matchers.set(source, compile(work));
      } catch (error) {
        refuse(pointer, (error as Error).message);
      }
    }
  return matchers;
}

function patternsAt({
  pointer,
  schema: { pattern, patternProperties },
}: Place): readonly (readonly [string, string])[] {
  const names = typeof patternProperties === 'object' ? Object.keys(patternProperties ?? {}) : [];
  return [
    ...(typeof pattern === 'string' ? [[`${pointer}/pattern`, pattern] as const] : []),
    ...names.map((name) => [`${pointer}/patternProperties/${escapeName(name)}`, name] as const),
  ];
}

interface Parts {
  readonly places: ReadonlyMap<string, Place>;
  readonly matchers: ReadonlyMap<string, Matcher>;
  readonly work: Work;
  readonly dialect: Dialect;
  readonly lenient: boolean;
}

function compiled(schema: JsonSchema, { places, matchers, work, dialect, lenient }: Parts): Validator {
  for (const { schema: place } of places.values()) place['$work'] = weightOf(place);
  const validate = compileAlone(schema, {
    dialect,
    lenient,
    pattern: (source) => matchers.get(source) ?? linearPattern(source).compile(work),
    // ajv copies the faults found so far at each reference.
    spend: (weight, faults) => work.spend(weight + faults),
  });
  return (value) => {
    work.begin();
    try {
      return validate(value);
    } catch (error) {
      if (error instanceof TooMuchWork) return [tooMuch];
      // A long chain of references for each level of the value.
      if (error instanceof RangeError) return [tooDeep];
      throw error;
    }
  };
}

// These keywords go through all members of an object.
const throughMembers = [
  'additionalProperties',
  'maxProperties',
  'minProperties',
  'patternProperties',
  'propertyNames',
  'unevaluatedProperties',
];

function weightOf(place: Place['schema']): Weight {
  const { properties } = place;
  const names = namesIn(place) + (typeof properties === 'object' ? Object.keys(properties ?? {}).length : 0);
  const value = stepsOfPlace * (1 + Math.ceil(names / 8));
  if (throughMembers.some((keyword) => keyword in place)) return { value, part: value };
  return { value, part: 'maxLength' in place || 'minLength' in place ? 2 : 0 };
}

const tooMuch: Fault = {
  pointer: '#',
  detail: 'takes too long to check against the schema; send less, or shorter texts',
};
const tooDeep: Fault = { pointer: '#', detail: 'is nested too deeply for the schema' };

/** A pattern of an author that is known to match in linear time. */
export interface LinearPattern {
  /** The cost of compiling, as a number of single characters. */
  readonly size: number;
  /** Makes the matcher; the steps of each test are counted as work. */
  compile(work: Work): Matcher;
}

/** Tests texts. Its `toString` gives the pattern, by which ajv tells patterns apart. */
export interface Matcher {
  test(text: string): boolean;
  toString(): string;
}

const longest = 2000;
const mostStates = 1000;
// The cost of RE2 for one state and character when it uses no automaton, in steps of V8's engine.
const stepsOfState = 10;

/**
 * Reads a pattern, in unicode mode and unanchored as in JSON Schema. V8 matches patterns that it provably matches in
 * linear time, RE2 the rest. Throws when neither can, and says what to write instead.
 */
export function linearPattern(source: string): LinearPattern {
  if (source.length > longest)
    throw new Error(`a pattern has at most ${longest} characters; split it by allOf or anyOf`);
  const { re2, states, steps, size } = parsePattern(source);
  if (steps !== undefined) return { size, compile: counted(source, () => new RegExp(source, 'u'), steps) };
  if (states > mostStates)
    throw new Error(
      `the pattern is too large: ${states} characters with all repetitions, at most ${mostStates}; use maxLength for lengths`,
    );
  return { size, compile: counted(source, () => RE2JS.compile(re2), states * stepsOfState) };
}

function counted(source: string, make: () => Pick<RegExp, 'test'>, steps: number): LinearPattern['compile'] {
  return (work) => {
    const engine = make();
    return {
      test: (text) => {
        work.spend(text.length * steps);
        return engine.test(text);
      },
      toString: () => source,
    };
  };
}

/** A value takes more work to check than the limit. */
export class TooMuchWork extends Error {}

/** Counts the steps of one validation: an author's schema must not block everybody else's requests. */
export interface Work {
  /** Counts steps. Throws TooMuchWork when there are too many. */
  spend(steps: number): void;
  /** Begins the next validation. */
  begin(): void;
}

/** Makes a counter that allows each validation `most` steps. */
export function newWork(most: number): Work {
  let left = most;
  return {
    spend: (steps) => {
      left -= steps;
      if (left < 0) throw new TooMuchWork();
    },
    begin: () => {
      left = most;
    },
  };
}
