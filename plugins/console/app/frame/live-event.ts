/** An event of the platform: names and ids. */
export interface LiveEvent {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** How the stream is. */
export type LiveState = 'connecting' | 'live' | 'waiting';

/** Who follows events in this window. */
export interface Follower {
  /** Exact names. */
  readonly types: readonly string[];
  onEvent(event: LiveEvent): void;
  /** Events may have been missed: read the shown data again. */
  onOpen(): void;
  onState(state: LiveState): void;
}

/** Messages between the windows of a session. */
export interface WindowMessage {
  /** The window that sends it, and the types that it follows; absent: the window left. */
  readonly window?: string;
  readonly wants?: readonly string[];
  /** A window becomes the leader: all windows send the types that they follow. */
  readonly asks?: true;
  /** The stream is in this state, with these types; `again`: events may have been missed. */
  readonly state?: LiveState;
  readonly types?: readonly string[];
  readonly again?: boolean;
  /** Where the stream can be resumed. */
  readonly id?: string;
  readonly event?: LiveEvent;
}
