/** How long an unused connection is kept, in ms. A shorter time opens more of them. */
const longestIdle = 30_000;

/** How connections are opened and closed. */
export interface ConnectionRules<Connection> {
  /** The maximum number. */
  readonly max: number;
  open(): Promise<Connection>;
  /** Whether the server has closed it, as far as known. Absent: there is no server. */
  isOver?(connection: Connection): boolean;
  /** Closes it gracefully. Settles when it is closed. */
  end(connection: Connection): Promise<void>;
  /** Whether it keeps the process running. Absent: it never does, and is kept while idle. */
  keepRunning?(connection: Connection, keeps: boolean): void;
}

interface Borrower<Connection> {
  readonly resolve: (connection: Connection) => void;
  readonly reject: (reason: unknown) => void;
}

/** A pool for a library whose own cannot end a single connection. */
export class ConnectionPool<Connection extends object> {
  readonly #rules: ConnectionRules<Connection>;
  /** With the timers that end them. Last in, first out. */
  readonly #idle: { readonly connection: Connection; readonly timer: NodeJS.Timeout | undefined }[] = [];
  readonly #waiting: Borrower<Connection>[] = [];
  /** Open, or being opened. */
  #size = 0;
  #opening = 0;
  #closed = false;
  #emptied = (): void => {};

  constructor(rules: ConnectionRules<Connection>) {
    this.#rules = rules;
  }

  get closed(): boolean {
    return this.#closed;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  get opening(): boolean {
    return this.#opening > 0;
  }

  async acquire(): Promise<Connection> {
    const idle = this.acquireNow();
    if (idle !== undefined) return idle;
    return await new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#serve();
    });
  }

  /** One that is idle. */
  acquireNow(): Connection | undefined {
    if (this.#closed) throw new Error('Pool is closed.');
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      clearTimeout(idle.timer);
      const { connection } = idle;
      if (this.#rules.isOver?.(connection) !== true) {
        this.#rules.keepRunning?.(connection, true);
        return connection;
      }
      this.#leave();
    }
    return undefined;
  }

  release(connection: Connection, broken: boolean): void {
    if (broken || this.#closed || this.#rules.isOver?.(connection) === true) {
      this.#drop(connection);
      this.#serve();
      return;
    }
    const next = this.#waiting.shift();
    if (next !== undefined) {
      next.resolve(connection);
      return;
    }
    this.#rules.keepRunning?.(connection, false);
    const timer = this.#rules.keepRunning && setTimeout(() => this.#endIdle(connection), longestIdle);
    timer?.unref();
    this.#idle.push({ connection, timer });
  }

  /** Closes unused ones, and each of the others when it is returned: see `empty`. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const { reject } of this.#waiting.splice(0)) reject(new Error('Pool is closed.'));
    await Promise.all(
      this.#idle.splice(0).map(({ connection, timer }) => {
        clearTimeout(timer);
        this.#leave();
        return this.#rules.end(connection);
      }),
    );
  }

  /** Resolves when none is open after `close`. */
  async empty(): Promise<void> {
    if (this.#size > 0) await new Promise<void>((resolve) => (this.#emptied = resolve));
  }

  #endIdle(connection: Connection): void {
    const index = this.#idle.findIndex((idle) => idle.connection === connection);
    if (index !== -1) this.#idle.splice(index, 1);
    this.#drop(connection);
  }

  #drop(connection: Connection): void {
    void this.#rules.end(connection);
    this.#leave();
  }

  #leave(): void {
    this.#size -= 1;
    if (this.#size === 0) this.#emptied();
  }

  /** Opens connections for waiting calls. */
  #serve(): void {
    while (this.#waiting.length > this.#opening && this.#size < this.#rules.max) {
      this.#size += 1;
      this.#opening += 1;
      this.#rules.open().then(
        (connection) => {
          this.#opening -= 1;
          this.release(connection, false);
        },
        (error: unknown) => {
          this.#opening -= 1;
          this.#leave();
          this.#waiting.shift()?.reject(error);
          this.#serve();
        },
      );
    }
  }
}
