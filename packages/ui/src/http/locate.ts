import type { IncomingMessage } from 'node:http';

/** Where in the page's own paths a request is. */
export interface Location {
  /** After the path of the page: `/`, `/state`. `undefined`: it is outside of the page. */
  readonly path: string | undefined;
  readonly query: URLSearchParams;
  /** The address that the page should have been asked for: with a slash at its end. */
  readonly redirect: string | undefined;
}

/** Reads the address of `request`. Paths in the page are relative, so it must end with a slash. */
export function locate(request: IncomingMessage, basePath: string): Location {
  const { url = '/' } = request;
  // Express takes the path of `app.use` out of the URL, and keeps the whole of it beside it.
  const { originalUrl: whole = url } = request as { readonly originalUrl?: string };
  const [path = '/'] = (basePath === '' ? url : whole).split('?', 1);
  const query = new URLSearchParams(url.slice(url.indexOf('?') + 1 || url.length));
  const [wholePath = '/'] = whole.split('?', 1);
  const atBase = basePath === '' ? path === '/' : path === basePath;
  if (atBase && !wholePath.endsWith('/')) {
    // Relative: a proxy before the service may have taken a part of the path away.
    return { path: '/', query, redirect: `./${wholePath.slice(wholePath.lastIndexOf('/') + 1)}/` };
  }
  const within = path === basePath || path.startsWith(`${basePath}/`);
  return { path: within ? path.slice(basePath.length) : undefined, query, redirect: undefined };
}
