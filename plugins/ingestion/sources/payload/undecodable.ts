/** Thrown when a stored body can never be read: the delivery becomes a dead letter with this reason. */
export class Undecodable extends Error {
  readonly reason: string;

  constructor(reason: string, detail: string) {
    super(detail);
    this.name = 'Undecodable';
    this.reason = reason;
  }
}
