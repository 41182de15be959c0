import { createHash } from 'node:crypto';
import type { Architecture } from './debian.ts';
import type { Entry } from '../../../kit/packages/tar.ts';

/** A part of an image by its content (github.com/opencontainers/image-spec, descriptor.md). */
export interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly platform?: object;
  readonly annotations?: object;
}

/** A layer as it is stored, and the digest of its uncompressed archive. */
export interface Layer {
  readonly descriptor: Descriptor;
  readonly diffId: string;
}

/** What an image says about itself and how it is run (config.md of the same specification). */
export interface ImageFacts {
  readonly created: string;
  readonly config: object;
  readonly history: readonly object[];
  readonly annotations: object;
}

/** What a layout says about itself. */
export interface LayoutFacts {
  readonly annotations: object;
  /** The name that programs load the image by, and its tag. */
  readonly name: string;
  readonly tag: string;
}

const media = (name: string): string => `application/vnd.oci.image.${name}`;
const head = (name: string): object => ({ schemaVersion: 2, mediaType: media(name) });

/** Collects the parts of images and writes them as an OCI image layout (image-layout.md of the same specification). */
export class Layout {
  readonly #blobs = new Map<string, Uint8Array>();

  /** Adds a layer: its archive, and what gzip made of it. */
  layer(archive: Uint8Array, compressed: Uint8Array): Layer {
    return { descriptor: this.#add('layer.v1.tar+gzip', compressed), diffId: digest(archive) };
  }

  /** Adds the image of one processor. */
  image(architecture: Architecture, layers: readonly Layer[], { annotations, ...about }: ImageFacts): Descriptor {
    const platform = { architecture, os: 'linux', ...(architecture === 'arm64' && { variant: 'v8' }) };
    const rootfs = { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) };
    const config = this.#json('config.v1+json', { ...platform, ...about, rootfs });
    const manifest = { ...head('manifest.v1+json'), config, layers: layers.map((one) => one.descriptor), annotations };
    return { ...this.#json('manifest.v1+json', manifest), platform };
  }

  /** Adds the index of the images, and lists the files of the layout. */
  files(images: readonly Descriptor[], { annotations, name, tag }: LayoutFacts): readonly Entry[] {
    const index = this.#json('index.v1+json', { ...head('index.v1+json'), manifests: images, annotations });
    // The second annotation is what containerd, Docker and Podman read.
    const names = { 'org.opencontainers.image.ref.name': tag, 'io.containerd.image.name': `${name}:${tag}` };
    const named = { ...index, annotations: names };
    return [
      ...[{ path: 'blobs/' }, { path: 'blobs/sha256/' }],
      ...[...this.#blobs].map(([digits, content]) => ({ path: `blobs/sha256/${digits}`, content })),
      { path: 'index.json', content: JSON.stringify({ ...head('index.v1+json'), manifests: [named] }) },
      { path: 'oci-layout', content: JSON.stringify({ imageLayoutVersion: '1.0.0' }) },
    ];
  }

  #json(name: string, value: object): Descriptor {
    return this.#add(name, Buffer.from(JSON.stringify(value)));
  }

  #add(name: string, content: Uint8Array): Descriptor {
    const found = digest(content);
    this.#blobs.set(found.slice('sha256:'.length), content);
    return { mediaType: media(name), digest: found, size: content.length };
  }
}

function digest(content: Uint8Array): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}
