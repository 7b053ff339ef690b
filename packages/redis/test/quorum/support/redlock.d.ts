// The package has types, but its "exports" do not lead to them.
declare module 'redlock' {
  import type { Redis } from 'ioredis';

  export default class Redlock {
    constructor(clients: Iterable<Redis>, settings: { readonly retryCount: number });
    acquire(resources: string[], duration: number): Promise<{ release(): Promise<unknown> }>;
    on(event: 'error', listener: (error: unknown) => void): this;
  }
}
