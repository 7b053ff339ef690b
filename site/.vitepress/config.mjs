import { defineConfig } from 'vitepress';
import { root } from '../../.ci/published.mjs';
import { addressOf, anchorOf, resolveLinks } from '../links.mjs';
import { findPages, notPages } from '../pages.mjs';
import { release, repositoryUrl } from '../repository.mjs';
import { searchOptions } from '../search-options.mjs';
import { sidebarOf } from '../sidebar.mjs';

const { version, changelog } = release();
const icon =
  "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'><path d='M4.5 7V5a3.5 3.5 0 0 1 7 0v2' fill='none' stroke='%230969da' stroke-width='2'/><rect x='2.5' y='7' width='11' height='8' rx='1.5' fill='%230969da'/></svg>";

/** For the search, without colours in code, which take seconds. */
function renderPlain(source, env, md) {
  const { highlight } = md.options;
  md.options.highlight = null;
  const html = md.render(source, env);
  md.options.highlight = highlight;
  return html;
}

export default defineConfig({
  title: '@locks',
  description: 'Locks for Node.js in Redis, Postgres, MariaDB, MySQL, SQLite, ZooKeeper and etcd.',
  lang: 'en',
  head: [['link', { rel: 'icon', href: `data:image/svg+xml,${icon}` }]],
  srcDir: root,
  srcExclude: notPages,
  outDir: 'dist',
  cacheDir: '.cache',
  rewrites: addressOf,
  markdown: {
    anchor: { slugify: anchorOf },
    languageAlias: { cjs: 'js' },
    config: (md) => {
      md.use(resolveLinks);
    },
  },
  themeConfig: {
    search: { provider: 'local', options: { _render: renderPlain, miniSearch: { searchOptions } } },
    outline: [2, 3],
    sidebar: sidebarOf(findPages()),
    nav: [
      { text: 'Docs', link: '/docs/' },
      { text: 'Examples', link: '/examples/' },
      { text: 'API', link: '/packages' },
      { text: 'Benchmarks', link: '/charts' },
      { text: `v${version}`, link: changelog },
    ],
    socialLinks: [{ icon: 'github', link: repositoryUrl }],
  },
  // Throws for a page that only VitePress has found.
  buildEnd: ({ pages }) => void sidebarOf(pages),
});
