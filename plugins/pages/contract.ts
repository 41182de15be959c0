import { defineService, type Html, type HtmlPart, type Reply, type Section } from '../../kernel/index.ts';

// The scripts of pages whose modules are served without a build.
export { bundledScript, dividedScript } from './page-script.ts';
export { once } from './once.ts';
export type { DividedScript } from './divided-script.ts';

/** A public page: the content of the frame that all pages share. */
export interface WebPage {
  /** Title of the page itself; the name of the site is added. */
  readonly title: string;
  /** One sentence for search engines and for sites that link to the page. */
  readonly description: string;
  /** Path of the section that the navigation marks as current. */
  readonly section?: string;
  /** Absolute address that search engines should use. */
  readonly canonical?: string;
  /** A feed of what the page shows. */
  readonly feed?: { readonly href: string; readonly title: string };
  /** Makes the content, or is it; a page that shows links to other sections gets them. */
  readonly main: HtmlPart | ((sections: readonly Section[]) => HtmlPart);
  /** Rules of this page in addition to the shared stylesheet; the program's own text. */
  readonly style?: string;
  /** The program's own script; the page works without it, or says what does not. */
  readonly script?: string;
  /** The script may send requests to this address. */
  readonly connects?: true;
  /** Values for the script, by the id of the element that holds them as JSON. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** The page works as a saved file: it contains its policy, and loads nothing at all. */
  readonly saved?: true;
  /** 200 unless given. */
  readonly status?: number;
  /** `Cache-Control`; `no-store` unless given. */
  readonly cache?: string;
  /** Further headers. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Where a link leads. */
export interface LinkTarget {
  readonly href: string;
  readonly rel?: string;
}

/** How a text is rendered. */
export interface MarkdownOptions {
  /** Level of the heading that `#` becomes, and the deepest level: `[3, 5]` inside a section of a page. */
  readonly headings: readonly [first: number, deepest: number];
  /** Decides where a link, or a picture, of the text leads. Undefined: its words are shown without a link. */
  readonly link: (target: string) => LinkTarget | undefined;
  /** Gives headings an `id`, as code hosts do, so that links lead to them. Only for the program's own texts. */
  readonly anchors?: true;
  /** Shows a fenced block of code; as plain text unless given. */
  readonly block?: (text: string, language: string) => Html;
}

/** The text under one heading, without markup. */
export interface MarkdownSection {
  /** The `id` of the heading; empty for the text before the first one. */
  readonly id: string;
  readonly title: string;
  /** 1 for `#`; 0 for the text before the first heading. */
  readonly level: number;
  readonly text: string;
}

/** A rendered text for a page, and its sections for a search. */
export interface Markdown {
  readonly html: Html;
  readonly sections: readonly MarkdownSection[];
}

/** Makes pages in the frame of the installation: its brand, its navigation, its stylesheet. */
export interface Pages {
  /**
   * Makes the answer of a page: one HTML document without anything from other sites. Its Content-Security-Policy allows
   * its stylesheets and its script by hash, pictures and forms of this address, and nothing else.
   */
  page(page: WebPage): Reply;
  /**
   * Renders Markdown (CommonMark and tables). The text may be untrusted: HTML in it is shown as text, a picture becomes a
   * link, so a page loads nothing from elsewhere, and every link passes `link`. Takes linear time.
   */
  markdown(source: string, options: MarkdownOptions): Promise<Markdown>;
  /** Shows a text to be copied, under an id that is unique on the page; the button appears where `copyScript` runs. */
  codeBlock(id: string, label: string, text: string | Html): Html;
  /**
   * The script of a page with code blocks: its buttons copy their text, or select it where the browser does not let them.
   * Plain JavaScript, since it is sent as it is.
   */
  readonly copyScript: string;
  /** The stylesheet of all pages. */
  readonly style: string;
  /** What the operator says at the top of every page; undefined without it. */
  readonly notice: Html | undefined;
  /** The rules that set the accent of the operator; empty without one. */
  readonly accent: string;
}

/** Makes pages for people; without its plugin, every answer is for programs. */
export const pages = defineService<Pages>('pages');
