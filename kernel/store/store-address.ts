/** One server of a database. */
export interface StoreHost {
  /** A name, an address, or the folder of a Unix socket. */
  readonly host: string;
  readonly port?: number;
}

/** Where a PostgreSQL store is, and how it is reached. */
export interface StoreAddress {
  /** Settings of the driver; they hold the password. */
  readonly connect: StoreHost & {
    readonly user: string;
    readonly password?: string;
    readonly database: string;
    readonly ssl?:
      | false
      | { readonly rejectUnauthorized: boolean; readonly ca?: string; readonly cert?: string; readonly key?: string };
  };
  /** Further servers of the database: of all of them the primary is used. */
  readonly others?: readonly StoreHost[];
  /** The schema of the tables; absent: as the server sets it for the role. */
  readonly schema?: string;
  /** The same database by the role that makes and changes its tables; absent: the one that serves does. */
  readonly migration?: StoreAddress;
  /** The address without the password, for logs and errors. */
  readonly shown: string;
}
