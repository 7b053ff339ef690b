// Version 7 has no API for this.
import ts from 'typescript-5.9';

/**
 * The exports of each of `files`, declarations of types: the name, its docstring as Markdown and
 * its declaration, whose members keep their docstrings as comments. Only where `isOurs` accepts the
 * path.
 */
export function declarationsOf(files, isOurs) {
  const program = ts.createProgram(files, {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    skipLibCheck: true,
    types: ['node'],
  });
  const checker = program.getTypeChecker();
  const exportsOf = (file) => checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file)));
  const declaration = (exported) => {
    const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
    const nodes = (symbol.declarations ?? []).filter((node) => isOurs(node.getSourceFile().fileName));
    return nodes.length === 0
      ? []
      : [{ name: exported.name, doc: docOf(symbol, checker), code: nodes.map(codeOf).join('\n') }];
  };
  return new Map(files.map((file) => [file, exportsOf(file).flatMap(declaration)]));
}

function docOf(symbol, checker) {
  const text = ts.displayPartsToString(symbol.getDocumentationComment(checker));
  const tags = symbol.getJsDocTags(checker).map((tag) => `**${tag.name}** ${ts.displayPartsToString(tag.text)}`);
  return [text, ...tags]
    .filter((part) => part !== '')
    .map(asMarkdown)
    .join('\n\n');
}

/** Types such as `Promise<void>` in a text are no HTML, and links are named by their target. */
function asMarkdown(text) {
  const linked = text.replaceAll(/\{@link ([^\s|}]+)[^}]*\}/g, '`$1`');
  return linked.replaceAll(/(`+)[^]*?\1|</g, (match) => (match === '<' ? '&lt;' : match));
}

function codeOf(node) {
  const whole = ts.isVariableDeclaration(node) ? node.parent.parent : node;
  return (
    whole
      .getText()
      .replace(/^(?:export |declare )+/, '')
      // It shows that there are private members.
      .replaceAll(/^ *#private;\n/gm, '')
      .replaceAll(/^( *)\/\*\*([^]*?)\*\//gm, (_, indent, text) => lineComments(indent, text))
      .replaceAll(/^(?: {4})+/gm, (indent) => ' '.repeat(indent.length / 2))
  );
}

/** The text of a docstring with one line per paragraph and tag, which the browser wraps. */
function lineComments(indent, text) {
  const lines = text.split('\n').map((line) => line.replace(/^ *\* ?/, '').trim());
  const paragraphs = lines
    .join('\n')
    .trim()
    .split(/\n{2,}|\s+(?=@)|\n(?=- )/);
  return paragraphs.map((paragraph) => `${indent}// ${paragraph.replaceAll('\n', ' ')}`).join('\n');
}
