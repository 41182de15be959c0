import stripComments from 'strip-json-comments';

/**
 * Parses the text of a settings file: JSON that may hold comments, and a comma after the last member. Comments become
 * blanks, so that the positions that an error names are those of the file. Throws SyntaxError.
 */
export function parseSettings(text: string): unknown {
  return JSON.parse(stripComments(text, { trailingCommas: true }));
}
