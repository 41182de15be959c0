import { RE2JS } from 're2js';
import { parsePattern } from './pattern-syntax.ts';

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
