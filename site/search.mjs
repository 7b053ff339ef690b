/** A page as HTML for the index of the search, without colours in code: that would take long. */
export function renderForSearch(source, env, md) {
  const { highlight } = md.options;
  md.options.highlight = null;
  try {
    return md.render(source, env);
  } finally {
    md.options.highlight = highlight;
  }
}
