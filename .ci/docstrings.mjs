// Finds importable names of published packages, and members of their types, without a docstring. An
// optional property of options says its default, a duration its unit. Exit code 1: a docstring is
// missing, or does not say that.
import { join, relative } from 'node:path';
// Version 7 has no API for this.
import ts from 'typescript-5.9';
import { isImportable, publishedFolders, root, sourcesOf } from './published.mjs';

const entries = publishedFolders()
  .filter(isImportable)
  .flatMap((folder) => sourcesOf(folder).map((file) => join(folder, 'src', file)));
const program = ts.createProgram(entries, {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  allowImportingTsExtensions: true,
  noEmit: true,
  strict: true,
  types: ['node'],
});
const checker = program.getTypeChecker();

/** Files of types whose members belong to a client library, which documents them. */
const foreign = /\/src\/(?:[a-z]+\/)?clients\/(?!executor)|\/src\/wire\/client\.ts$/;

const seen = new Set();
const faults = [];
let names = 0;
for (const entry of entries) {
  const module = checker.getSymbolAtLocation(program.getSourceFile(entry));
  for (const exported of module === undefined ? [] : checker.getExportsOfModule(module)) {
    const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
    const [declaration] = symbol.declarations ?? [];
    if (declaration === undefined || !isOurs(declaration) || seen.has(symbol)) continue;
    seen.add(symbol);
    checkSymbol(symbol, symbol.name);
  }
}
for (const each of faults) process.stdout.write(`${each}\n`);
process.stdout.write(`${names} public names and members, ${faults.length} without what they should say\n`);
process.exitCode = faults.length === 0 ? 0 : 1;

function isOurs(node) {
  const { fileName } = node.getSourceFile();
  return fileName.startsWith(join(root, 'packages/')) && !/\/(?:node_modules|dist)\//.test(fileName);
}

/** A name, and the members of its types. */
function checkSymbol(symbol, path) {
  for (const declaration of symbol.declarations.filter((node) => isOurs(node))) {
    checkOne(symbol, declaration, path);
    const members = foreign.test(declaration.getSourceFile().fileName) ? [] : membersOf(declaration);
    members.forEach((member) => checkMember(member, path));
  }
}

function checkMember(declaration, path) {
  const symbol = declaration.name === undefined ? undefined : checker.getSymbolAtLocation(declaration.name);
  if (symbol === undefined || isHidden(declaration)) return;
  const own = `${path}.${symbol.name.replace(/^__@(\w+)@\d+$/, '[Symbol.$1]')}`;
  checkOne(symbol, declaration, own);
  membersOf(declaration).forEach((member) => checkMember(member, own));
}

function checkOne(symbol, declaration, path) {
  names += 1;
  const text = ts.displayPartsToString(symbol.getDocumentationComment(checker)).trim();
  const tags = symbol.getJsDocTags(checker).filter(({ name, text: said }) => name !== 'internal' && said !== undefined);
  if (text === '' && tags.length === 0) fault(declaration, `${path} has no docstring`);
  else if (isOption(declaration, path) && !/default/i.test(text) && !tags.some(({ name }) => name === 'default')) {
    fault(declaration, `${path} does not say its default`);
  }
  const said = [text, ...tags.map((tag) => ts.displayPartsToString(tag.text))].join(' ');
  if (isDuration(declaration.type) && !/\bms\b/i.test(said)) fault(declaration, `${path} does not say its unit`);
}

/** Whether a caller may leave it out. */
function isOption(declaration, path) {
  return /^\w*Options\./.test(path) && declaration.questionToken !== undefined;
}

/** Whether it is, or may be, a `Duration` of core. */
function isDuration(type) {
  if (type === undefined) return false;
  if (ts.isUnionTypeNode(type)) return type.types.some((each) => isDuration(each));
  return ts.isTypeReferenceNode(type) && type.typeName.getText() === 'Duration';
}

/** The members of a class, of an interface, or of the objects in a type. */
function membersOf(declaration) {
  if (ts.isInterfaceDeclaration(declaration) || ts.isClassDeclaration(declaration)) return [...declaration.members];
  if (ts.isTypeAliasDeclaration(declaration) || ts.isPropertySignature(declaration)) return literals(declaration.type);
  return [];
}

/** The members of the objects in a type, including unions, intersections and lists. */
function literals(type) {
  if (type === undefined) return [];
  if (ts.isTypeLiteralNode(type)) return [...type.members];
  if (ts.isUnionTypeNode(type) || ts.isIntersectionTypeNode(type)) return type.types.flatMap((each) => literals(each));
  if (ts.isTypeReferenceNode(type)) return (type.typeArguments ?? []).flatMap((each) => literals(each));
  if (ts.isArrayTypeNode(type)) return literals(type.elementType);
  if (ts.isTypeOperatorNode(type) || ts.isParenthesizedTypeNode(type)) return literals(type.type);
  return [];
}

function isHidden(declaration) {
  const flags = ts.getCombinedModifierFlags(declaration);
  const closed = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;
  return (
    (flags & closed) !== 0 ||
    ts.isConstructorDeclaration(declaration) ||
    (declaration.name !== undefined && ts.isPrivateIdentifier(declaration.name)) ||
    hasOneValue(declaration)
  );
}

/** Such as `type: 'put'`, which a docstring could only repeat. */
function hasOneValue({ type, initializer }) {
  if (type === undefined) return initializer !== undefined && ts.isStringLiteral(initializer);
  return ts.isLiteralTypeNode(type) || type.kind === ts.SyntaxKind.UndefinedKeyword;
}

function fault(node, message) {
  const source = node.getSourceFile();
  const { line } = source.getLineAndCharacterOfPosition(node.getStart());
  faults.push(`${relative(root, source.fileName)}:${line + 1}: ${message}`);
}
