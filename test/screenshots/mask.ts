// The test code is compiled without the types of browsers.
interface TextNode {
  nodeValue: string | null;
}
declare const document: {
  readonly activeElement: { blur(): void };
  readonly body: object;
  createTreeWalker(root: object, what: number): { nextNode(): TextNode | null };
  querySelectorAll(selector: string): Iterable<{ value: string }>;
};

/**
 * Replaces in the document what is random in each demonstration, so that pictures are the same each time: ids, digests,
 * keys and ports. It runs in the browser, so it uses nothing from outside of itself.
 */
export function mask(): void {
  // The cursor of a field blinks.
  document.activeElement.blur();
  const known = new Map<string, string>();
  const like = (found: string, alphabet: string): string => {
    const number = known.size;
    const text = [...found].map((_, at) => alphabet[(at * 7 + number * 5 + 3) % alphabet.length]).join('');
    return known.get(found) ?? (known.set(found, text), text);
  };
  const rules: readonly (readonly [RegExp, (found: string) => string])[] = [
    [
      /\b[a-z]{2,8}_[0-9A-HJKMNP-TV-Z]{26}\b/g,
      (found) => found.slice(0, -26) + like(found.slice(-26), '0123456789ABCDEFGHJKMNPQRSTVWXYZ'),
    ],
    [/\b[0-9a-f]{12,64}\b/g, (found) => like(found, '0123456789abcdef')],
    [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, () => '01234567-89ab-4def-a123-456789abcdef'],
    [/(?<![\w/+-])[\w/+-]{40,}={0,2}(?![\w/+-])/g, (found) => like(found, 'aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789')],
    [/\borb_(?:live|test)_\w+/g, (found) => `${found.slice(0, 9)}aBcD`],
    // The end of an id that is shown in part.
    [/^[0-9A-HJKMNP-TV-Z]{6}$/g, (found) => like(found, '0123456789ABCDEFGHJKMNPQRSTVWXYZ')],
    [/127\.0\.0\.1:\d+/g, () => '127.0.0.1:8080'],
  ];
  const masked = (text: string): string => rules.reduce((rest, [rule, to]) => rest.replace(rule, to), text);
  const texts = document.createTreeWalker(document.body, 4);
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    const text = node.nodeValue ?? '';
    const better = masked(text);
    if (better !== text) node.nodeValue = better;
  }
  for (const field of document.querySelectorAll('input[type=text], textarea')) field.value = masked(field.value);
}
