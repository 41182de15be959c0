/** A part of a line: literal text, or text with one style. */
export type Inline =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'strong' | 'emphasis' | 'strike'; readonly content: readonly Inline[] }
  | { readonly kind: 'link'; readonly url: string; readonly content: readonly Inline[] }
  /** `id`: who is notified, as `people` of the settings has it; `alias`: the name that the caller used. */
  | { readonly kind: 'mention'; readonly id: string; readonly alias: string };

/** A part of a message. A line feed in the text of a paragraph is a line break. */
export type Block =
  | { readonly kind: 'title'; readonly text: string }
  | { readonly kind: 'paragraph'; readonly content: readonly Inline[] }
  | { readonly kind: 'code'; readonly text: string; readonly language?: string }
  | {
      readonly kind: 'list';
      /** The number of the first item; absent: bullets. */
      readonly start?: number;
      readonly items: readonly (readonly Block[])[];
    }
  | { readonly kind: 'quote'; readonly content: readonly Block[] };

/** Returns the text of inlines without their styles. */
export function textOf(content: readonly Inline[]): string {
  return content
    .map((node) => ('text' in node ? node.text : node.kind === 'mention' ? node.alias : textOf(node.content)))
    .join('');
}

/** Lists all inlines of blocks, also nested ones. */
export function inlinesOf(blocks: readonly Block[]): readonly Inline[] {
  const within = (node: Inline): readonly Inline[] =>
    'content' in node ? [node, ...node.content.flatMap(within)] : [node];
  return paragraphsOf(blocks).flat().flatMap(within);
}

/** Lists the contents of all paragraphs of blocks, also of nested ones. */
export function paragraphsOf(blocks: readonly Block[]): readonly (readonly Inline[])[] {
  return blocks.flatMap((block) => {
    if (block.kind === 'paragraph') return [block.content];
    if (block.kind === 'quote') return paragraphsOf(block.content);
    return block.kind === 'list' ? block.items.flatMap(paragraphsOf) : [];
  });
}
