/** A place for one question at a time: a connection, or a share of a pipe. */
export interface Slot {
  /** Sends one request; its answer comes to `onAnswer`. */
  send(id: number, message: string, headers: string): void;
  /** Bytes of a large answer are the slot's again when this returns. */
  onAnswer: (answer: string | Buffer) => void;
  onFailure: (reason: string) => void;
  close(): void;
}

/** What stays while connections come and go: the sessions, or the child process. */
export interface Channel {
  connect(): Promise<readonly Slot[]>;
  /** Ends what the channel holds. */
  close(): Promise<void>;
}
