import { expect, test } from '@jest/globals';
import { anchorsOf, relativeLinks } from './check-links.ts';

test('relative links are found in text and in definitions; code and web links are ignored', () => {
  const markdown = [
    'See [one](a.md), [two](<b.md#part> "title") and [web](https://example.com) or [mail](mailto:a@example.com).',
    'Not `[code](c.md)`.',
    '```',
    '[fenced](d.md)',
    '```',
    '![picture](e.png)',
    '[three]: ../f.md',
  ].join('\n');
  expect(relativeLinks(markdown)).toEqual(['a.md', 'b.md#part', 'e.png', '../f.md']);
});

test('a heading has the anchor that GitHub gives it', () => {
  const markdown = [
    '# Two words',
    '## D7. Status & "end"',
    '## [Linked](x.md) `code`',
    '# Two words',
    '<a id="own"></a>',
  ];
  expect([...anchorsOf(markdown.join('\n'))]).toEqual([
    'two-words',
    'd7-status--end',
    'linked-code',
    'two-words-1',
    'own',
  ]);
});
