import type { Socket } from 'node:net';

/** The part of ioredis and iovalkey that matches replies with commands. */
interface Pairing {
  commandQueue: { readonly length: number; shift(): unknown };
  readonly stream?: Socket | undefined;
  resetCommandQueue(): void;
  flushQueue(...args: unknown[]): void;
  duplicate(override?: object): object;
}

/** A command without a caller. */
const noCommand = { command: { name: '', args: [], resolve: () => {}, reject: () => {} } };

/**
 * `client`, which closes a connection with more replies than commands: later ones would answer
 * other commands. The library continues, and throws outside of any promise if such a reply is null.
 * The same for its duplicates.
 */
export function keepInStep<Client extends object>(client: Client): Client {
  const pairing = client as unknown as Pairing;
  const { resetCommandQueue, flushQueue, duplicate } = pairing;
  let flushing = false;
  pairing.flushQueue = (...args) => {
    flushing = true;
    flushQueue.apply(client, args);
    flushing = false;
  };
  pairing.resetCommandQueue = () => {
    resetCommandQueue.call(client);
    if (pairing.stream !== undefined) guardStream(pairing.stream);
    const queue = pairing.commandQueue;
    const shift = queue.shift.bind(queue);
    queue.shift = () => {
      if (flushing || queue.length > 0) return shift();
      pairing.stream?.destroy();
      return noCommand;
    };
  };
  pairing.resetCommandQueue();
  pairing.duplicate = (override) => keepInStep(duplicate.call(client, override));
  return client;
}

/** Ends `stream` if the library throws while reading, which would be outside of any promise. */
function guardStream(stream: Socket): void {
  const emit = stream.emit.bind(stream) as (event: string, ...args: readonly unknown[]) => boolean;
  stream.emit = (event: string, ...args: readonly unknown[]): boolean => {
    try {
      return emit(event, ...args);
    } catch (error) {
      if (event !== 'data') throw error;
      stream.destroy(error as Error);
      return true;
    }
  };
}
