import { createHash } from 'node:crypto';
import { assets } from './assets.ts';

const { document, style, script } = assets;

/** The page: one self-contained document. */
export const page: string = document
  .replace('<!-- style -->', () => `<style>${style}</style>`)
  .replace('<!-- script -->', () => `<script>${script}</script>`);

/** A browser may run the script of the page, and send requests to its own origin. */
export const pagePolicy: string = [
  "default-src 'none'",
  `script-src '${digest(script)}'`,
  `style-src '${digest(style)}'`,
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

function digest(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
