import { createDeadline } from '@locks/core/adapter';
import type { Deadline } from '@locks/core/adapter';
import type { Connection } from '../connection/connection.ts';
import type { OpenSession } from './open-session.ts';
import type { SessionOptions } from './session-options.ts';

/** Makes new connections of a session ones that its calls can use. */
export class Preparation {
  readonly #prepare: SessionOptions['prepare'];
  readonly #deadline: Deadline;

  constructor({ transport, runtime, prepare }: SessionOptions) {
    this.#prepare = prepare;
    this.#deadline = createDeadline(runtime, transport.sessionTimeout, `ZooKeeper at ${transport.servers}`);
  }

  /**
   * Attaches `connection`, and does with the session what its user wants done first. Resolves to
   * whether calls can use the connection. A connection that was not prepared within a third of the
   * session timeout is destroyed, and this rejects.
   */
  async run(session: OpenSession, connection: Connection): Promise<boolean> {
    const prepare = async (): Promise<void> => {
      await session.attach(connection);
      await this.#prepare(session.preparing, !session.prepared);
    };
    try {
      await this.#deadline.race(prepare(), 'what a session begins with', session.timeout / 3);
    } catch (error) {
      connection.destroy(error as Error);
      throw error;
    }
    return !connection.ended && session.alive;
  }

  stop(): void {
    this.#deadline.stop();
  }
}
