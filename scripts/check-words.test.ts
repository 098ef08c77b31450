import { expect, test } from '@jest/globals';
import { problemsOf, proseOf, textsOf, undescribedParameters } from './check-words.ts';

const words = (count: number) => Array.from({ length: count }, () => 'word').join(' ');

test.each([
  ['a banned word', 'message', 'Read the vault anew.', '"anew": write again'],
  ['a clause that begins with a pronoun', 'description', 'Fine. What is not named stays.', 'What is not named stays.'],
  ['a sentence of 36 words', 'page', `${words(36)}.`, 'a sentence of 36 words'],
  ['a summary of nine words', 'summary', words(9), 'a summary of 9 words'],
  ['a description of 111 words', 'description', `${words(30)}. `.repeat(3) + words(21), 'a description of 111 words'],
  ['a semicolon', 'summary', 'List vaults; newest first', 'a semicolon'],
] as const)('finds %s', (_what, kind, text, problem) => {
  expect(problemsOf({ kind, text })).toEqual([expect.stringContaining(problem)]);
});

test('accepts questions, code with any words, and short sentences', () => {
  const text = 'What remains? Send `absent; anew` with the request. Then read the vault again.';
  expect(problemsOf({ kind: 'description', text })).toEqual([]);
});

test('reads summaries, descriptions and details of errors, and not the texts of examples or failures', () => {
  const get = {
    summary: 'A summary',
    parameters: [{ name: 'page', description: 'A parameter' }, { name: 'limit' }],
    responses: { 200: { description: 'A success' }, 404: { description: 'VAULT_NOT_FOUND' } },
    example: { description: 'An example' },
  };
  const document = {
    info: { description: 'An introduction' },
    'x-error-codes': { POT_IN_USE: { details: { outputs: 'A detail' } } },
    paths: { '/a': { get: { operationId: 'read', ...get } } },
  };
  const read = textsOf(document, 'openapi').map(({ kind, text }) => `${kind}: ${text}`);
  expect(read).toEqual([
    'page: An introduction',
    'description: A detail',
    'summary: A summary',
    'description: A parameter',
    'description: A success',
  ]);
  expect(undescribedParameters(document)).toEqual(['read limit']);
});

test('reads paragraphs, items and cells of a page, and no labels or code', () => {
  const page =
    '# Title\n\nOne\nparagraph.\n\n- An item.\n- Another.\n\n```sh\nnpm start.\n```\n\n| a label | A cell. |\n';
  expect(proseOf(page)).toEqual(['One paragraph.', '- An item.', '- Another.', 'A cell.']);
});
