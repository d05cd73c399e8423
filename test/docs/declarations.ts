// Reads the declarations of the library with their comments, for docs/api.md.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

export interface Declaration {
  name: string;
  /** The declaration without the comment before it. */
  text: string;
  comment: Comment;
}

export interface Comment {
  summary: string;
  parameters: { name: string; text: string }[];
  returns: string;
  throws: string;
  /** Markdown with code blocks. */
  examples: string[];
}

/** The exported declarations of a module, as a `.d.ts` file has them. An overloaded function has several. */
export function declarationsIn(path: string, folder: string): Declaration[] {
  const text = readFileSync(join(folder, path), 'utf8');
  const written = exportsOf(text);
  const declared = exportsOf(ts.transpileDeclaration(text, { compilerOptions: { stripInternal: true } }).outputText);
  return declared.map((statement) => {
    const name = nameOf(statement);
    // Types are shown as they were written, with their line breaks.
    const isType = ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement);
    const shown = (isType && written.find((one) => nameOf(one) === name)) || statement;
    const shownText = shown.getText().replace(/^export (?:declare )?/, '');
    return { name, text: isType ? shownText : shownText.replaceAll('    ', '  '), comment: commentOf(statement) };
  });
}

function exportsOf(text: string): ts.Statement[] {
  return ts.createSourceFile('module.ts', text, ts.ScriptTarget.Latest, true).statements.filter(isExported);
}

function isExported(statement: ts.Statement): boolean {
  return (
    ts.canHaveModifiers(statement) &&
    (ts.getModifiers(statement) ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)
  );
}

function nameOf(statement: ts.Statement): string {
  const { name } = statement as ts.Statement & { name?: ts.Identifier };
  return name?.text ?? '';
}

function commentOf(node: ts.Node): Comment {
  const [comment] = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc).slice(-1);
  const tags = [...(comment?.tags ?? [])];
  const named = (name: string) => tags.filter(({ tagName }) => tagName.text === name);
  const one = (name: string) => textOf(named(name)[0]?.comment);
  return {
    summary: textOf(comment?.comment),
    parameters: tags.filter(ts.isJSDocParameterTag).map((tag) => ({
      name: tag.name.getText(),
      text: textOf(tag.comment).replace(/^- /, ''),
    })),
    returns: one('returns'),
    throws: tags
      .filter(ts.isJSDocThrowsTag)
      .map((tag) => textOf(tag.comment))
      .join(' '),
    examples: named('example').map(({ comment: text }) => textOf(text)),
  };
}

/** A comment with links as code. */
function textOf(comment: string | ts.NodeArray<ts.JSDocComment> | undefined): string {
  if (comment === undefined || typeof comment === 'string') return (comment ?? '').trim();
  const parts = comment.map((part) =>
    ts.isJSDocLink(part) ? `\`${part.name?.getText() ?? ''}${part.text}\`` : part.text,
  );
  return parts.join('').trim();
}
