/** Answers the address of a certificate `crt_<ulid>`. */
export function certificateUrl(publicUrl: string, id: string): string {
  return `${publicUrl}/certificates/${id}`;
}

/** Reads the id `crt_…` from the address of a certificate; undefined when the address has none. */
export function certificateId(address: string): string | undefined {
  return /\/certificates\/(crt_[0-9A-HJKMNP-TV-Z]{26})$/.exec(address)?.[1];
}
