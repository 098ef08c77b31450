/** Characters that no reader sees, or that have no agreed look. Tabs and new lines are among them, which a text of several lines may have. */
const unseen = String.raw`\p{Cc}\p{Co}\p{Noncharacter_Code_Point}\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffd\u{13430}-\u{1343f}`;
/** Controls of the direction of writing: with them, a text can read as another. */
const direction = String.raw`\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069`;
/** Letters and symbols that show nothing. */
const blank = String.raw`\u115f\u1160\u2800\u3164\uffa0\u{1d159}`;
const refused = new RegExp(`[${unseen}${direction}${blank}]`, 'u');

/** Scripts whose letters look different when they are joined or parted. */
const joiningScripts = [
  ...['Arabic', 'Syriac', 'Mongolian', 'Devanagari', 'Bengali', 'Gurmukhi', 'Gujarati', 'Oriya', 'Tamil'],
  ...['Telugu', 'Kannada', 'Malayalam', 'Sinhala', 'Khmer', 'Myanmar', 'Tibetan'],
].map((script) => `\\p{Script=${script}}`);

/** Characters without a look of their own, where they belong to the one before them. Each is allowed there, and once. */
const belonging = new RegExp(
  [
    // Emoji of several parts, such as a family, and those in colour or as text.
    String.raw`(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f])\u200d(?=\p{Extended_Pictographic})`,
    String.raw`(?<=\p{Emoji})[\ufe0e\ufe0f]`,
    String.raw`(?<=[${joiningScripts.join('')}])[\u200c\u200d](?=[${joiningScripts.join('')}])`,
    String.raw`(?<=\p{Script=Han})[\ufe00-\ufe0d\u{e0100}-\u{e01ef}]`,
    String.raw`(?<=\p{Script=Mongolian})[\u180b-\u180d\u180f]`,
    // The flags of England, Scotland and Wales.
    ...['gbeng', 'gbsct', 'gbwls'].map((region) => `(?<=\u{1f3f4})${tagged(region)}`),
  ].join('|'),
  'gu',
);

/** More marks than any script puts on one letter. Composing longer rows of them takes quadratic time. */
const crowded = /\p{M}{17}/u;
const visible = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** The text as it is stored: composed (NFC), with `\n` for every end of a line. One that is refused for its marks stays as it is. */
export function composed(text: string): string {
  return crowded.test(text) ? text : text.replaceAll('\r\n', '\n').normalize('NFC');
}

/** Why others could not see a composed text as it is, and what to do; undefined for one that they can. The empty text is fine. */
export function unseenProblem(text: string, { isMultiLine }: { readonly isMultiLine: boolean }): string | undefined {
  if (text === '') return undefined;
  if (crowded.test(text)) return 'Contains more than 16 combining marks in a row. Remove some.';
  const shown = (isMultiLine ? text.replaceAll(/[\n\t]/g, ' ') : text).replaceAll(belonging, '');
  const [found] = refused.exec(shown) ?? [];
  if (found !== undefined) return `Contains the invisible or control character ${codePoint(found)}. Remove it.`;
  return visible.test(shown) ? undefined : 'Contains no visible character. Write at least one.';
}

/** The letters as tag characters, which are invisible, and their end. */
function tagged(letters: string): string {
  const tags = Array.from(letters, (letter) => String.fromCodePoint(0xe_00_00 + (letter.codePointAt(0) ?? 0)));
  return `${tags.join('')}\u{e007f}`;
}

/** The longest beginning of a text of whole characters, as readers count them, that `fits`. */
export function beginningThatFits(text: string, fits: (beginning: string) => boolean): string {
  let beginning = '';
  for (const { segment } of new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text)) {
    if (!fits(beginning + segment)) break;
    beginning += segment;
  }
  return beginning;
}

function codePoint(character: string): string {
  return `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`;
}
