import { linearPattern, newWork, TooMuchWork, type Matcher, type Work } from './pattern.ts';
import { escapeName, namesIn, placesOf, resolveReferences, type Place, type Refuse } from './places.ts';
import type { Fault, JsonSchema, Validator } from '../../../../kernel/index.ts';
import { checkDialect, compileAlone, type Dialect, type Weight } from '../../../../kernel/runner.ts';

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
