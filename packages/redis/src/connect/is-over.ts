import type { Socket } from 'node:net';

/**
 * Whether `stream` has ended, or is ending. The client may call itself ready: iovalkey does so
 * after a server without a password has refused one.
 */
export function isOver(stream: unknown): boolean {
  const { destroyed, readableEnded, writableEnded } = (stream ?? {}) as Partial<Socket>;
  return destroyed === true || readableEnded === true || writableEnded === true;
}
