import { isToken, tokenLength } from '../../api-keys/contract.ts';
import type { LlmContext } from '../../policy/contract.ts';
import { countCards } from './cards.ts';

/** How many secrets of each kind were found. */
export type Findings = LlmContext['findings'];

type Kind = keyof Findings;

interface Detector {
  /** A text without one of these words has none. */
  readonly words: readonly string[];
  /** Takes time in proportion to the text, whatever the text is. */
  readonly pattern: RegExp;
  /** Says whether what fits the pattern is one. */
  readonly isOne?: (found: string) => boolean;
}

const detectors: Readonly<Record<Exclude<Kind, 'card_number'>, Detector>> = {
  platform_key: {
    words: ['orb_live_', 'orb_test_'],
    pattern: new RegExp(`orb_(?:live|test)_[0-9A-Za-z]{${tokenLength - 'orb_live_'.length}}(?![0-9A-Za-z])`, 'g'),
    isOne: isToken,
  },
  private_key: {
    words: ['PRIVATE KEY'],
    // RFC 7468, and the older names of OpenSSL, OpenSSH and PGP.
    pattern: /-----BEGIN (?:[A-Z0-9]{1,16} ){0,2}PRIVATE KEY(?: BLOCK)?-----/g,
  },
  aws_key: {
    words: ['AKIA', 'ASIA'],
    pattern: /(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])/g,
  },
  jwt: {
    words: ['eyJ', 'eyI'],
    // It begins only where no other character of base64url is before it, so no character is read twice.
    pattern: /(?<![A-Za-z0-9_-])ey[IJ][A-Za-z0-9_-]+\.(?:ey[IJ][A-Za-z0-9_-]+|e30)\.[A-Za-z0-9_-]*/g,
    isOne: hasHeader,
  },
};

/** Most places of one text that are examined for one kind: a long text of them must not take long. */
const mostExamined = 1000;

/** Counts what looks like a secret in texts of a caller. Nothing of the texts is kept. */
export class SecretCounter {
  readonly #counts: { -readonly [K in Kind]: number } = {
    ...{ platform_key: 0, private_key: 0, aws_key: 0, jwt: 0, card_number: 0 },
  };

  /** Looks at one text. */
  read(text: string): void {
    for (const [kind, { words, pattern, isOne }] of Object.entries(detectors)) {
      if (!words.some((word) => text.includes(word))) continue;
      let examined = 0;
      for (const [found] of text.matchAll(pattern)) {
        if (isOne?.(found) !== false) this.#counts[kind as Kind] += 1;
        if (++examined === mostExamined) break;
      }
    }
    this.#counts.card_number += countCards(text);
  }

  get counts(): Findings {
    return this.#counts;
  }
}

const longestHeader = 2000;

// RFC 7515, 4.1.1: the header names the algorithm.
function hasHeader(token: string): boolean {
  const header = token.slice(0, Math.min(token.indexOf('.'), longestHeader));
  return /"alg"\s*:\s*"/.test(Buffer.from(header, 'base64url').toString());
}
