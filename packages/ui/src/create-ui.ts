import type { IncomingMessage, ServerResponse } from 'node:http';
import { Refusal, send, sendError, sendJson } from './http/answers.ts';
import { breakLease } from './http/break-lease.ts';
import { locate } from './http/locate.ts';
import { checkOrigin } from './http/same-origin.ts';
import { followChannels } from './looks/channels.ts';
import { StateViews } from './looks/state-view.ts';
import { Timeline } from './looks/timeline.ts';
import { readUiOptions } from './options.ts';
import type { UiOptions } from './options.ts';
import { page, pagePolicy } from './page/page.ts';

/** A request listener for `http.createServer`, `app.use` of Express, and routes of Fastify. */
export interface Ui extends Disposable {
  /** Answers `request`. Never throws: errors of the store are part of the answer. */
  (request: IncomingMessage, response: ServerResponse): void;
  /**
   * Ends the subscriptions to the diagnostics channels. The page continues to work without them.
   */
  end(): void;
}

/**
 * A page that shows the holders and waiters of a store's locks, and recent grants and losses. It
 * queries the store only while a browser shows it. It has no authentication: put it behind that of
 * your service.
 * @throws `LOCK_MISCONFIGURED` for a wrong option.
 */
export function createUi(options: UiOptions): Ui {
  const { locks, write, prefix, basePath, channels } = readUiOptions(options);
  const timeline = new Timeline();
  const views = new StateViews(locks, timeline, { write, prefix });
  const unfollow = channels ? followChannels(timeline, { name: locks.name, prefix }) : () => {};

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { path, query, redirect } = locate(request, basePath);
    if (path === '/') {
      checkMethod(request, 'GET', 'HEAD');
      if (redirect !== undefined) return send(response, 302, { location: redirect }, '');
      const headers = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': pagePolicy };
      return send(response, 200, headers, page);
    }
    if (path === '/state') {
      checkMethod(request, 'GET');
      checkOrigin(request);
      const order = query.get('order') === 'waiting' ? 'waiting' : 'name';
      return sendJson(
        response,
        200,
        await views.view({ filter: query.get('filter') ?? '', page: pageOf(query), order }),
      );
    }
    if (path === '/break') {
      checkMethod(request, 'POST');
      checkOrigin(request);
      return sendJson(response, 200, await breakLease(request, query, views, { write, prefix }));
    }
    throw new Refusal(404, 'There is nothing at this address.');
  }

  const listen = (request: IncomingMessage, response: ServerResponse): void => {
    // A reader that disconnects during an answer is not an error of the service.
    response.on('error', () => {});
    answer(request, response).catch((error: unknown) => sendError(response, error));
  };
  return Object.assign(listen, { end: unfollow, [Symbol.dispose]: unfollow });
}

function checkMethod({ method = '' }: IncomingMessage, ...allowed: readonly string[]): void {
  if (allowed.includes(method)) return;
  throw new Refusal(405, `Only ${allowed.join(' and ')} can be used here.`, { allow: allowed.join(', ') });
}

function pageOf(query: URLSearchParams): number {
  const number = Number(query.get('page') ?? '0');
  return Number.isSafeInteger(number) && number > 0 ? number : 0;
}
