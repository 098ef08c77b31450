/**
 * `npm run check:words`: prints every text for readers that breaks a rule of docs/style.md which a machine can check, and fails if
 * there is one. It reads docs/openapi.json, the AsyncAPI document, the messages of the errors and the Markdown pages.
 */
import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { asyncApiDocument } from '../src/events/asyncapi/document.ts';
import { errorRegistry } from '../src/platform/error-registry.ts';

/** What a text is decides which rules it has to keep. */
type Kind = 'summary' | 'description' | 'message' | 'page';

interface Text {
  readonly where: string;
  readonly kind: Kind;
  readonly text: string;
}

const MAX_SENTENCE = 35;
const MAX_SUMMARY = 8;
const MAX_DESCRIPTION = 110;

/** The Markdown pages that are read. The page on style lists the banned words. */
const pages = ['README.md', 'CONTRIBUTING.md', 'client/README.md', 'docs/**/*.md'];

/** Words that make a reader ask "who?" or "what?", and words of ours where the field has its own. */
const banned: readonly (readonly [RegExp, string])[] = [
  [/\banew\b/i, 'again'],
  [/\bmend(s|ed|ing)?\b/i, 'fix'],
  [/\bgo(es|ing)? on\b/i, 'continue'],
  [/\bof a use\b/i, 'useful'],
  [/\bof (theirs|ours)\b/i, 'a possessive'],
  [/\bin any case\b/i, 'not case-sensitive'],
  [/\babsent\b/i, 'omitted'],
  [/\bthe answers? (of|to)\b/i, 'the response'],
  [/\b(vaults?|proposals?|runs?) lives?\b/i, 'runs'],
  [/\btakes? (a|the|no|this|these) fields?\b/i, 'accepts'],
  [/\b(a|the) reads?(?=[.,:]|$| (of|that|which|is|has)\b)/i, 'a GET request, or a response'],
  [/\bat present\b/i, 'now, or current'],
  [/\bit is said in\b/i, 'documented in'],
  [/\bbeside\b/i, 'with, or besides'],
  [/\b(of|in|by) which\b/i, 'a shorter sentence'],
  [/\bas of\b/i, 'at, or since'],
  [/\bso far as\b/i, 'if'],
  [/\bnevertheless\b/i, 'a shorter sentence'],
  [/\bwho ?ever\b/i, 'a noun'],
  [/\bany more\b/i, 'no longer'],
  [/\w\.\.(\s|$)/, 'one full stop'],
  [/(^|[.:] )(What|Who|Those|That which) (?!if\b)[^.?]*(\.|$)/, 'a noun at the beginning of the sentence'],
];

/** The problems of one text, for people. */
export function problemsOf({ kind, text }: Omit<Text, 'where'>): string[] {
  const plain = text.replaceAll(/`[^`]*`/g, 'X').replaceAll(/\]\([^)]*\)/g, ']');
  const problems = banned.flatMap(([pattern, instead]) => {
    const found = pattern.exec(plain);
    return found === null ? [] : [`"${found[0].trim()}": write ${instead}`];
  });
  const sentences = plain.split(/(?<=[.!?][)"*_]*)\s+|\n+/);
  const long = sentences.filter((sentence) => wordsOf(sentence) > MAX_SENTENCE);
  problems.push(...long.map((sentence) => `a sentence of ${wordsOf(sentence)} words: "${sentence}"`));
  // The values of an enumeration are a list, one a line.
  const words = wordsOf(plain.replaceAll(/^- X: .*$/gm, ''));
  if (kind === 'summary' && words > MAX_SUMMARY) problems.push(`a summary of ${words} words`);
  if (kind === 'description' && words > MAX_DESCRIPTION) problems.push(`a description of ${words} words`);
  if (kind !== 'page' && plain.includes(';')) problems.push('a semicolon: write two sentences');
  return problems;
}

function wordsOf(text: string): number {
  return text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

/** All texts of an OpenAPI or AsyncAPI document. */
export function textsOf(value: unknown, where: string): Text[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => textsOf(item, `${where}/${index}`));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]): Text[] => {
    const at = `${where}/${name}`;
    if (typeof inner !== 'string') return ['example', 'examples', 'default'].includes(name) ? [] : textsOf(inner, at);
    // The introduction is a page. Descriptions of failures list the messages of their errors, which are checked one by one.
    if (where === 'openapi/info') return [{ where: at, kind: 'page', text: inner }];
    if (/\/responses\/[45]\d\d$/.test(where)) return [];
    if (name === 'summary') return [{ where: at, kind: 'summary', text: inner }];
    if (name === 'description' || name === 'x-unrestricted') return [{ where: at, kind: 'description', text: inner }];
    return where.endsWith('/details') ? [{ where: at, kind: 'description', text: inner }] : [];
  });
}

/** Every parameter without a description. */
export function undescribedParameters(document: Document): string[] {
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
  return operations.flatMap(({ operationId, parameters = [] }) =>
    parameters.filter(({ description = '' }) => description === '').map(({ name }) => `${operationId} ${name}`),
  );
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly description?: string }[];
}

/** The prose of a Markdown page: each paragraph, item and cell of a table is a text. Labels, which have no full stop, are not. */
export function proseOf(markdown: string): string[] {
  const withoutCode = markdown.replaceAll(/^\s*(```|~~~)[^]*?^\s*\1/gm, '');
  return withoutCode
    .split(/\n\s*\n|\n(?=\s*(?:[-*|>#]|\d+\.)\s*)/)
    .flatMap((block) => (block.trimStart().startsWith('|') ? block.split('|') : [block]))
    .map((text) => text.replaceAll(/\s+/g, ' ').trim())
    .filter((text) => /[.!?:]/.test(text));
}

async function allTexts(): Promise<Text[]> {
  const openApi = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as unknown;
  const messages = Object.entries(errorRegistry).map(([code, { message }]): Text => ({
    where: code,
    kind: 'message',
    text: message,
  }));
  const texts = [...messages, ...textsOf(openApi, 'openapi'), ...textsOf(asyncApiDocument('1.0'), 'asyncapi')];
  for await (const file of glob(pages, { exclude: ['docs/style.md', 'docs/progress.md'] })) {
    const prose = proseOf(readFileSync(file, 'utf8'));
    texts.push(...prose.map((text): Text => ({ where: file, kind: 'page', text })));
  }
  return texts;
}

if (import.meta.main) {
  const openApi = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as Document;
  const found = new Set(undescribedParameters(openApi).map((name) => `${name}: no description`));
  const seen = new Set<string>();
  for (const { where, kind, text } of await allTexts()) {
    if (seen.has(text)) continue;
    seen.add(text);
    for (const problem of problemsOf({ kind, text })) found.add(`${where}: ${problem}\n    ${text.slice(0, 160)}`);
  }
  for (const problem of found) process.stdout.write(`${problem}\n`);
  process.exitCode = found.size === 0 ? 0 : 1;
}
