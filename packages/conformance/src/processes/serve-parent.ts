import type { Envelope, ErrorInfo, Reply } from './envelope.ts';

/**
 * For a module that `startChild` starts: answers the requests of the parent process as they come.
 * The process ends when its parent does. Returns a function that stops it: then the process ends
 * when nothing keeps it running.
 */
export function serveParent<Request>(answer: (request: Request) => unknown): () => void {
  const onMessage = ({ id, request }: Envelope<Request>): void => {
    reply(id, request).then(send, (error: unknown) => send({ id, error: describe(error) }));
  };
  const onDisconnect = (): void => process.exit();
  const reply = async (id: number, request: Request): Promise<Reply> => ({ id, answer: await answer(request) });

  process.on('message', onMessage);
  process.on('disconnect', onDisconnect);
  return () => {
    process.off('message', onMessage);
    process.off('disconnect', onDisconnect);
    process.disconnect();
  };
}

function send(reply: Reply): void {
  // 'disconnect' reports the end of the parent.
  process.send?.(reply, undefined, undefined, () => {});
}

function describe(error: unknown): ErrorInfo {
  if (!(error instanceof Error)) return { code: undefined, message: String(error), stack: undefined };
  const { message, stack, code } = error as NodeJS.ErrnoException;
  return { code, message, stack };
}
