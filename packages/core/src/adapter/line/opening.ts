/** What claims wait for while there is no listener. */
export interface Opening {
  /** When the first of these claims came, by the clock. */
  readonly since: number;
  readonly promise: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

/** One that begins now, by the clock. */
export function createOpening(since: number): Opening {
  let resolve!: () => void;
  let reject!: (reason: unknown) => void;
  const promise = new Promise<void>((onOpen, onRefusal) => {
    resolve = onOpen;
    reject = onRefusal;
  });
  // The claims that waited may have given up.
  promise.catch(() => {});
  return { since, promise, resolve, reject };
}
