/** The address of a store that is no file: plain values, with those that its engine needs, such as a password. */
export interface StoreAddress {
  /** Address of the module of the engine. */
  readonly module: string;
  /** Address of a module whose `provideKit` lets an engine from outside the tree import what authors may. */
  readonly list?: string;
  /** The address without the password, for logs and errors. */
  readonly shown: string;
}

/** Where a store is: plain values that can be handed to another thread. */
export interface StorePlace {
  /** Absolute path. */
  readonly stateDir: string;
  /** Absent: the store is a file of the state dir. */
  readonly address?: StoreAddress;
  /** Of a store that is open: its node, and the memory in which its writer notes how far it has come. */
  readonly writer?: { readonly node: string; readonly buffer: SharedArrayBuffer };
}
