import type { Block, Inline } from '../message/blocks.ts';
import { plain } from './plain.ts';

/** A message for Matrix: spec.matrix.org/latest/client-server-api/#mroommessage-msgtypes. */
export interface MatrixText {
  readonly body: string;
  readonly formatted_body: string;
}

/** Writes a message as plain text and as HTML. Ids of mentions: `@name:server`, or `@room`. */
export function matrixText(blocks: readonly Block[]): MatrixText {
  return { body: plain(blocks), formatted_body: htmlOf(blocks) };
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const tags = { strong: 'strong', emphasis: 'em', strike: 'del' } as const;

function htmlOf(blocks: readonly Block[]): string {
  return blocks.map(blockHtml).join('');
}

function blockHtml(block: Block): string {
  switch (block.kind) {
    case 'title':
      return `<p><strong>${escaped(block.text)}</strong></p>`;
    case 'paragraph':
      return `<p>${inlineHtml(block.content)}</p>`;
    case 'code': {
      const language = block.language === undefined ? '' : ` class="language-${escaped(block.language)}"`;
      return `<pre><code${language}>${escaped(block.text)}</code></pre>`;
    }
    case 'quote':
      return `<blockquote>${htmlOf(block.content)}</blockquote>`;
    case 'list': {
      const items = block.items.map((item) => `<li>${itemHtml(item)}</li>`).join('');
      if (block.start === undefined) return `<ul>${items}</ul>`;
      return `<ol${block.start === 1 ? '' : ` start="${block.start}"`}>${items}</ol>`;
    }
  }
}

// Clients show a paragraph in an item with space around it.
function itemHtml([first, ...rest]: readonly Block[]): string {
  if (first?.kind !== 'paragraph') return htmlOf(first === undefined ? [] : [first, ...rest]);
  return `${inlineHtml(first.content)}${htmlOf(rest)}`;
}

function inlineHtml(content: readonly Inline[]): string {
  return content
    .map((node) => {
      if (node.kind === 'mention') return mentionHtml(node);
      if (node.kind === 'text') return escaped(node.text).replaceAll('\n', '<br/>');
      if (node.kind === 'code') return `<code>${escaped(node.text)}</code>`;
      const inner = inlineHtml(node.content);
      if (node.kind === 'link') return `<a href="${escaped(node.url)}">${inner}</a>`;
      return `<${tags[node.kind]}>${inner}</${tags[node.kind]}>`;
    })
    .join('');
}

function mentionHtml({ alias, id }: Extract<Inline, { kind: 'mention' }>): string {
  if (id === '@room') return id;
  return `<a href="https://matrix.to/#/${encodeURIComponent(id)}">${escaped(alias)}</a>`;
}
