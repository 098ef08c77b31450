/** Controls that no reader sees. Tabs and new lines are among them, which a text of several lines may have. */
const control = String.raw`\p{Cc}\u2028\u2029\ufff9-\ufffb`;
/** Controls of the direction of writing: with them, a text can read as another. */
const direction = String.raw`\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069`;
/** Letters and symbols that show nothing. */
const blank = String.raw`\u115f\u1160\u2800\u3164\uffa0\u{1d159}`;
/** Characters that join others, or choose how the one before them looks. */
const joiner = String.raw`\u200c\u200d\p{Variation_Selector}`;

/** The flag of a region, such as Scotland: its letters are invisible, and belong to the black flag before them. */
const regionFlags = /\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]+\u{e007f}/gu;
const joinedToNothing = new RegExp(String.raw`(?<=^|\s)[${joiner}]|(?<=[\u200c\u200d])[\u200c\u200d]`, 'u');
const invisible = new RegExp(
  String.raw`[${control}${direction}${blank}]|(?![${joiner}])\p{Default_Ignorable_Code_Point}`,
  'u',
);
const visible = /[\p{L}\p{N}\p{P}\p{S}\p{Co}]/u;

/** The text as it is stored: composed (NFC), with `\n` for every end of a line. */
export function composed(text: string): string {
  return text.replaceAll('\r\n', '\n').normalize('NFC');
}

/** Why others could not see a composed text as it is, and what to do; undefined for one that they can. The empty text is fine. */
export function unseenProblem(text: string, { isMultiLine }: { readonly isMultiLine: boolean }): string | undefined {
  if (text === '') return undefined;
  const shown = (isMultiLine ? text.replaceAll(/[\n\t]/g, ' ') : text).replaceAll(regionFlags, '\u{1f3f4}');
  const [unseen] = invisible.exec(shown) ?? joinedToNothing.exec(shown) ?? [];
  if (unseen !== undefined) return `Contains the invisible or control character ${codePoint(unseen)}. Remove it.`;
  return visible.test(shown) ? undefined : 'Contains no visible character. Write at least one.';
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
