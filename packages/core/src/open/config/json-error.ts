/** What must come next in a text that was JSON so far. */
type Next = 'value' | 'first value' | 'name' | 'first name' | 'colon' | 'more';

const token =
  /[ \t\n\r]*([{}[\],:]|"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|(?:true|false|null)\b)/y;

/**
 * Where `text`, which `JSON.parse` refused, stops being JSON. The error of `JSON.parse` cannot be
 * shown. In some cases it has no position, and it quotes text that may be a password.
 */
export function describeJsonError(text: string): string {
  const open: string[] = [];
  let next: Next = 'value';
  let end = 0;
  for (;;) {
    token.lastIndex = end;
    const found = token.exec(text)?.[1] ?? '';
    const after: Next | undefined = found === '' ? undefined : step(next, found, open);
    if (after === undefined) break;
    next = after;
    end = token.lastIndex;
  }
  const at = end + (/^[ \t\n\r]*/.exec(text.slice(end))?.[0].length ?? 0);
  const lines = text.slice(0, at).split('\n');
  return `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}: expected ${expected(next, open)}`;
}

/** Takes one token. `undefined`: it cannot stand here. */
function step(next: Next, found: string, open: string[]): Next | undefined {
  const inner = open.at(-1);
  if (next === 'colon') return found === ':' ? 'value' : undefined;
  if (next === 'more') {
    if (found === ',' && inner !== undefined) return inner === '{' ? 'name' : 'value';
    return closes(found, open) ? 'more' : undefined;
  }
  if (next === 'name' || next === 'first name') {
    if (found.startsWith('"')) return 'colon';
    return next === 'first name' && closes(found, open) ? 'more' : undefined;
  }
  if (found === '{' || found === '[') {
    open.push(found);
    return found === '{' ? 'first name' : 'first value';
  }
  if (next === 'first value' && closes(found, open)) return 'more';
  return /^[}\],:]/.test(found) ? undefined : 'more';
}

function closes(found: string, open: string[]): boolean {
  if (found !== closing(open)) return false;
  open.pop();
  return true;
}

function closing(open: readonly string[]): string | undefined {
  const inner = open.at(-1);
  return inner === undefined ? undefined : inner === '{' ? '}' : ']';
}

function expected(next: Next, open: readonly string[]): string {
  switch (next) {
    case 'value':
    case 'first value':
      return 'a value';
    case 'name':
      return 'a name in double quotes';
    case 'first name':
      return 'a name in double quotes or "}"';
    case 'colon':
      return '":"';
    case 'more':
      return open.length === 0 ? 'nothing more' : `"," or "${closing(open)}"`;
    default:
      return next satisfies never;
  }
}
