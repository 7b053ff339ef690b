import type { IncomingMessage } from 'node:http';

/** The location of a request within the page. */
export interface Location {
  /** Relative to the page: `/`, `/state`. `undefined`: it is outside of the page. */
  readonly path: string | undefined;
  readonly query: URLSearchParams;
  /** The address to request instead, with a trailing slash. */
  readonly redirect: string | undefined;
}

/** Reads the address of `request`. Paths in the page are relative, so it must end with a slash. */
export function locate(request: IncomingMessage, basePath: string): Location {
  const { url = '/' } = request;
  // Express removes the path of `app.use` from the URL, and keeps the original.
  const { originalUrl: whole = url } = request as { readonly originalUrl?: string };
  const [path = '/'] = (basePath === '' ? url : whole).split('?', 1);
  const query = new URLSearchParams(url.slice(url.indexOf('?') + 1 || url.length));
  const [wholePath = '/'] = whole.split('?', 1);
  const atBase = basePath === '' ? path === '/' : path === basePath;
  if (atBase && !wholePath.endsWith('/')) {
    // Relative, as a proxy may have removed a part of the path.
    return { path: '/', query, redirect: `./${wholePath.slice(wholePath.lastIndexOf('/') + 1)}/` };
  }
  const within = path === basePath || path.startsWith(`${basePath}/`);
  return { path: within ? path.slice(basePath.length) : undefined, query, redirect: undefined };
}
