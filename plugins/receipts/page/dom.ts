/** The parts of the browser's DOM that the page uses; the rest of the program does not depend on a browser. */
export interface PageElement {
  textContent: string | null;
  className: string;
  hidden: boolean;
  value: string;
  readonly files: Iterable<PageFile> | null;
  append(...parts: (PageElement | string)[]): void;
  replaceChildren(...parts: (PageElement | string)[]): void;
  setAttribute(name: string, value: string): void;
  addEventListener(type: string, listener: (event: PageEvent) => void): void;
  focus(): void;
}

/** A file that was chosen or dropped. */
export interface PageFile {
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** An event of the page. */
export interface PageEvent {
  readonly dataTransfer?: { readonly files: Iterable<PageFile>; dropEffect: string } | null;
  preventDefault(): void;
}

/** An answer of the server. */
export interface PageAnswer {
  readonly ok: boolean;
  readonly status: number;
  text(): Promise<string>;
}

/** The window of the page. */
export interface PageWindow {
  readonly document: PageDocument;
  readonly location: { readonly protocol: string };
  fetch(address: string, options: object): Promise<PageAnswer>;
}

/** The document of the page. */
export interface PageDocument {
  readonly documentElement: PageElement;
  getElementById(id: string): PageElement | null;
  createElement(name: string): PageElement;
  querySelectorAll(selector: string): Iterable<PageElement>;
}
