import { expect, test } from '@jest/globals';
import { beginningThatFits, composed, unseenProblem } from './visible-text.ts';

const oneLine = { isMultiLine: false };

test.each([
  ['a bidirectional override', 'Boat\u202etxt', 'U+202E'],
  ['an isolate', 'Boat\u2066', 'U+2066'],
  ['a control character', 'Bo\u0007at', 'U+0007'],
  ['a new line in a name', 'Boat\nHouse', 'U+000A'],
  ['a line separator', 'Boat\u2028House', 'U+2028'],
  ['a zero width space', 'Bo\u200bat', 'U+200B'],
  ['a byte order mark', '\ufeffBoat', 'U+FEFF'],
  ['a soft hyphen', 'Bo\u00adat', 'U+00AD'],
  ['tag characters without a flag', 'Boat\u{e0061}', 'U+E0061'],
  ['hidden bytes in variation selectors', 'Vault\u{e0148}\u{e0149}', 'U+E0148'],
  ['two selectors after an ideograph', '家\u{e0100}\u{e0101}', 'U+E0101'],
  ['hidden letters after a flag', '🏴\u{e0069}\u{e0067}\u{e006e}\u{e007f}', 'U+E0069'],
  ['a joiner in a word that looks the same without', 'Va\u200dult', 'U+200D'],
  ['a selector in a word that looks the same without', 'Vault\ufe0f', 'U+FE0F'],
  ['a selector of another script', 'V\u180bault', 'U+180B'],
  ['a character that is none', 'Boat\uffff', 'U+FFFF'],
  ['a character of private use', 'Boat\ue000', 'U+E000'],
  ['a stand-in for an object', 'Boat\ufffc', 'U+FFFC'],
  ['a format control', 'Boat\u{13430}', 'U+13430'],
  ['a joiner that joins nothing', '\u200dBoat', 'U+200D'],
  ['joiners in a row', 'Bo\u200d\u200dat', 'U+200D'],
  ...[0x11_5f, 0x11_60, 0x31_64, 0xff_a0, 0x28_00].map(
    (code) => ['a blank letter', `Boat${String.fromCodePoint(code)}`, `U+${code.toString(16).toUpperCase()}`] as const,
  ),
])('text with %s is refused, and the character named', (_what, text, character) => {
  expect(unseenProblem(text, oneLine)).toBe(`Contains the invisible or control character ${character}. Remove it.`);
});

test.each([' ', '\u00a0', '\u3000', '\u0301'])('text without a visible character is refused', (text) => {
  expect(unseenProblem(text, oneLine)).toBe('Contains no visible character. Write at least one.');
});

test.each([
  'Boat 7',
  '👨‍👩‍👧',
  '❤️‍🔥',
  '🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}',
  'می‌خواهم',
  '家',
  '!',
  'שלום',
  '1️⃣',
  '葛\u{e0100}飾区',
  'ᠠ\u180b',
  'क्\u200dष',
  'e\u0301\u0316\u0323',
])('visible text of every script, and emoji, is fine: %s', (text) => {
  expect(unseenProblem(text, oneLine)).toBeUndefined();
});

test('a text of several lines may have new lines and tabs, and no other control', () => {
  const lines = composed('One\r\n\tTwo');
  expect(lines).toBe('One\n\tTwo');
  expect(unseenProblem(lines, { isMultiLine: true })).toBeUndefined();
  expect(unseenProblem('One\rTwo', { isMultiLine: true })).toContain('U+000D');
});

test('a text is cut between the characters that readers see', () => {
  const within = (bytes: number) => (beginning: string) => Buffer.byteLength(beginning) <= bytes;
  expect(beginningThatFits('Boat', within(3))).toBe('Boa');
  expect(beginningThatFits('A👨‍👩‍👧', within(15))).toBe('A');
  expect(beginningThatFits('ae\u0301', within(3))).toBe('a');
});

test('a flood of combining marks is refused, and composing it costs no more than reading it', () => {
  const flood = `a${'\u0301\u0316'.repeat(60_000)}`;
  expect(composed(flood)).toBe(flood);
  expect(unseenProblem(flood, oneLine)).toBe('Contains more than 16 combining marks in a row. Remove some.');
});
