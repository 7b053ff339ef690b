import { ask } from '../connection/ask.ts';
import type { AskParts } from '../connection/ask.ts';

/** The mode of a server. `unknown`: it does not allow the question, or does not answer. */
export type ServerMode = 'leader' | 'follower' | 'standalone' | 'observer' | 'read-only' | 'unknown';

const modes: ReadonlySet<string> = new Set<ServerMode>(['leader', 'follower', 'standalone', 'observer', 'read-only']);

/** Answers have some 200 bytes. */
const longestAnswer = 16_384;

/**
 * Asks a server for its mode, by the four-letter word `srvr`. Servers since 3.5 report it unless
 * their configuration forbids it. Never rejects.
 */
export async function serverMode(parts: Omit<AskParts, 'background'>): Promise<ServerMode> {
  let answer = '';
  // The server closes the connection after its answer.
  await ask({ ...parts, background: true }, 'srvr', (chunk) => {
    answer += chunk.toString('latin1');
    return answer.length > longestAnswer;
  });
  const mode = /^Mode: (.*)$/m.exec(answer)?.[1] ?? '';
  return modes.has(mode) ? (mode as ServerMode) : 'unknown';
}
