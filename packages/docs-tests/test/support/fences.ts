/** A fenced block of a Markdown page. */
export interface Fence {
  /** The first word after the fence, or `''`. */
  readonly language: string;
  /** What follows the language. */
  readonly info: string;
  /** The line of the page, from 1, that the first line of `text` stands on. */
  readonly line: number;
  readonly text: string;
}

/** A page taken apart. */
export interface Markdown {
  readonly fences: readonly Fence[];
  /** The page with every line of a fenced block left empty. */
  readonly prose: string;
}

/**
 * Follows CommonMark: a fence ends at one of its own character that is at least as long; an
 * unfinished one ends with the page.
 */
export function readMarkdown(page: string): Markdown {
  const fences: Fence[] = [];
  const prose: string[] = [];
  let open:
    | { readonly mark: string; readonly indent: number; readonly head: Omit<Fence, 'text'>; readonly lines: string[] }
    | undefined;

  function end(): void {
    if (open !== undefined) fences.push({ ...open.head, text: open.lines.join('\n') });
    open = undefined;
  }

  for (const [index, line] of page.split('\n').entries()) {
    const [, spaces = '', mark = '', rest = ''] = /^(\s*)(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    if (open !== undefined) {
      prose.push('');
      if (mark.startsWith(open.mark) && rest.trim() === '') end();
      else open.lines.push(withoutIndent(line, open.indent));
    } else if (mark === '') {
      prose.push(line);
    } else {
      prose.push('');
      const [, language = '', info = ''] = /^(\S*)(.*)$/.exec(rest.trim()) ?? [];
      open = { mark, indent: spaces.length, head: { language, info: info.trim(), line: index + 2 }, lines: [] };
    }
  }
  end();
  return { fences, prose: prose.join('\n') };
}

function withoutIndent(line: string, indent: number): string {
  const own = line.length - line.trimStart().length;
  return line.slice(Math.min(own, indent));
}
