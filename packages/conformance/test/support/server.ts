import type { LockProvider } from '@locks/core';

/** A store that several providers reach: each endpoint is what the server is to one of them. */
export interface Data {
  open(): LockProvider;
  /** Forgets all that is not on disk. */
  restarted?(): void;
}

/**
 * A server that can stand still and restart. What reached it before it stood still is done when it
 * goes on.
 */
export class Server {
  readonly #createData: () => Data;
  #data: Data;
  /** Changes when it restarts with nothing: endpoints of before know a store that is gone. */
  #life = {};
  #goesOn: Promise<void> | undefined = undefined;
  #down = false;

  constructor(createData: () => Data) {
    this.#createData = createData;
    this.#data = createData();
  }

  get life(): object {
    return this.#life;
  }

  open(): LockProvider {
    return this.#data.open();
  }

  /** Resolves when it has done as asked; `false`: there is none. */
  async takesRequest(): Promise<boolean> {
    const life = this.#life;
    while (this.#goesOn !== undefined) await this.#goesOn;
    return !this.#down && life === this.#life;
  }

  /** Stands still until the returned function is called. */
  freeze(): () => void {
    let goOn = (): void => {};
    const frozen = new Promise<void>((resolve) => (goOn = resolve));
    this.#goesOn = frozen;
    return () => {
      if (this.#goesOn === frozen) this.#goesOn = undefined;
      goOn();
    };
  }

  stop(): void {
    this.#down = true;
  }

  start({ empty }: { readonly empty: boolean }): void {
    if (empty) {
      this.#data = this.#createData();
      this.#life = {};
    }
    this.#data.restarted?.();
    this.#down = false;
  }
}
