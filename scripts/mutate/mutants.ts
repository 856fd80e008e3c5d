/** Small changes that a good test would notice, found in the syntax tree of a file: one node, one change. */
import { type BinaryExpression, type Node, type SourceFile, SyntaxKind } from "typescript/unstable/ast";

export interface Mutant {
  readonly file: string;
  readonly line: number;
  /** What of the text is replaced, and by what. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** What it was, and what it is now, for people. */
  readonly change: string;
}

/** What stands for a node now; undefined where this kind of change does not concern it. */
type Replaced = { readonly start: number; readonly end: number; readonly text: string } | undefined;

const OPERATORS: ReadonlyMap<SyntaxKind, readonly [from: string, to: string]> = new Map([
  [SyntaxKind.LessThanToken, ["<", "<="]],
  [SyntaxKind.LessThanEqualsToken, ["<=", "<"]],
  [SyntaxKind.GreaterThanToken, [">", ">="]],
  [SyntaxKind.GreaterThanEqualsToken, [">=", ">"]],
  [SyntaxKind.EqualsEqualsEqualsToken, ["===", "!=="]],
  [SyntaxKind.ExclamationEqualsEqualsToken, ["!==", "==="]],
  [SyntaxKind.AmpersandAmpersandToken, ["&&", "||"]],
  [SyntaxKind.BarBarToken, ["||", "&&"]],
  [SyntaxKind.QuestionQuestionToken, ["??", "&&"]],
]);

const CONDITIONED: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.IfStatement,
  SyntaxKind.WhileStatement,
  SyntaxKind.ConditionalExpression,
]);

export function mutantsIn(file: string, source: SourceFile): Mutant[] {
  const found: Mutant[] = [];
  const visit = (node: Node): void => {
    if (isOfTypes(node)) return;
    for (const replaced of changesOf(node, source)) if (replaced) found.push(mutant(file, source.text, replaced));
    node.forEachChild(visit);
  };
  visit(source);
  return found;
}

/** Types are stripped before anything runs, and what is imported is not ours to change. */
function isOfTypes({ kind }: Node): boolean {
  const isType = kind >= SyntaxKind.FirstTypeNode && kind <= SyntaxKind.LastTypeNode;
  return isType || kind === SyntaxKind.InterfaceDeclaration || kind === SyntaxKind.ImportDeclaration;
}

function changesOf(node: Node, source: SourceFile): Replaced[] {
  const whole = { start: node.getStart(source), end: node.end };
  switch (node.kind) {
    case SyntaxKind.BinaryExpression:
      return [swapped((node as BinaryExpression).operatorToken, source)];
    case SyntaxKind.NumericLiteral:
      return [{ ...whole, text: moved(source.text.slice(whole.start, whole.end)) }];
    case SyntaxKind.TrueKeyword:
      return [{ ...whole, text: "false" }];
    case SyntaxKind.FalseKeyword:
      return [{ ...whole, text: "true" }];
    case SyntaxKind.AwaitExpression:
      return [{ start: whole.start, end: whole.start + "await".length, text: "" }];
    case SyntaxKind.ExpressionStatement:
      return [isCall(partOf(node, "expression")) ? { ...whole, text: ";" } : undefined];
    case SyntaxKind.ReturnStatement:
      return [isEarly(node) ? { ...whole, text: ";" } : undefined];
    default:
      return CONDITIONED.has(node.kind) ? [turnedRound(node, source)] : [];
  }
}

/** By so much that it matters: whether a second is a thousand milliseconds or one more nobody needs to notice. */
function moved(number: string): string {
  return Number(number.replaceAll("_", "")) < 10 ? `(${number} + 1)` : `(2 * ${number})`;
}

function swapped(operator: Node, source: SourceFile): Replaced {
  const names = OPERATORS.get(operator.kind);
  return names && { start: operator.getStart(source), end: operator.end, text: names[1] };
}

function turnedRound(node: Node, source: SourceFile): Replaced {
  const condition = partOf(node, "expression") ?? partOf(node, "condition");
  if (!condition) return undefined;
  const start = condition.getStart(source);
  return { start, end: condition.end, text: `!(${source.text.slice(start, condition.end)})` };
}

function isCall(node: Node | undefined): boolean {
  if (node?.kind === SyntaxKind.AwaitExpression || node?.kind === SyntaxKind.VoidExpression)
    return isCall(partOf(node, "expression"));
  return node?.kind === SyntaxKind.CallExpression;
}

/** Its end is not that of the function anyway. */
function isEarly({ parent, end }: Node): boolean {
  if (parent.kind !== SyntaxKind.Block) return true;
  const isLast = (parent as Node & { statements: readonly Node[] }).statements.at(-1)?.end === end;
  return !isLast || CONDITIONED.has(parent.parent.kind);
}

function partOf(node: Node, name: string): Node | undefined {
  return (node as unknown as Record<string, Node | undefined>)[name];
}

function mutant(file: string, text: string, replaced: NonNullable<Replaced>): Mutant {
  const { start, end } = replaced;
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  const lineEnd = text.indexOf("\n", end);
  const after = `${text.slice(lineStart, start)}${replaced.text}${text.slice(end, lineEnd)}`;
  const change = `${shown(text.slice(lineStart, lineEnd))}  →  ${shown(after)}`;
  return { file, line: text.slice(0, start).split("\n").length, ...replaced, change };
}

function shown(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > 110 ? `${line.slice(0, 109)}…` : line;
}
