import { z } from 'zod';
import { parseDuration } from '../units/duration.ts';
import { parsePercentage } from '../units/percentage.ts';
import { parseTypeName } from '../units/type-name.ts';
import { composed, unseenProblem } from '../units/visible-text.ts';
import { oneOf } from './request-messages.ts';

// Fields of requests. Each has an upper limit, so that no request can fill the database.

/** Gives the problem of a field a code of its own. */
const coded = (code: string, message: string) => ({ error: message, params: { code } });

const seen = (isMultiLine: boolean): z.core.CheckFn<string> => {
  return (payload) => {
    const message = unseenProblem(payload.value, { isMultiLine });
    if (message === undefined) return;
    payload.issues.push({ code: 'custom', input: payload.value, message, params: { code: 'INVALID_TEXT' } });
  };
};

/**
 * Text of one line that others read, stored composed (NFC) and without blanks around it: no character that they cannot see, none that
 * turns the direction of writing. May be empty unless `min` says otherwise.
 */
export const visibleText = (max: number, min = 0) =>
  bounded(
    z.string().overwrite((text) => composed(text).trim()),
    max,
    min,
  ).check(seen(false));

/** As `visibleText`, of several lines and with tabs; the blanks around it stay. */
export const visibleLines = (max: number, min = 0) =>
  bounded(z.string().overwrite(composed), max, min).check(seen(true));

const bounded = (text: z.ZodString, max: number, min: number) => (min === 0 ? text : text.min(min)).max(max);

/** A link that others open: a URL without characters that a URL parser would drop, or readers cannot see. */
export const visibleUrl = (protocol: RegExp, error: string, max: number) =>
  z
    .url({ protocol, error })
    .max(max)
    .refine(namesItsHost, 'Must not contain a user name or a backslash')
    .check(seen(false));

/** `https://known.example@other.example/` leads to the other host. */
function namesItsHost(link: string): boolean {
  const url = URL.parse(link);
  return url?.username === '' && url.password === '' && !link.includes('\\');
}

/** The id of a resource, as it is stored: locks and workflows are named by this text, and one in upper case would name others. */
export const ResourceId = z.uuid().toLowerCase();

/** A wallet's address. The use case checks that it is one, and of this network. */
export const AddressText = z.string().min(1).max(200);

/** An address that filters rows; bech32 also allows it in upper case. */
export const AddressFilter = AddressText.transform((text) =>
  text === text.toUpperCase() ? text.toLowerCase() : text,
).describe('Only items of this wallet.');

/** A policy id in upper or lower case. */
export const PolicyText = z.string().regex(/^[0-9a-fA-F]{56}$/, 'A policy id is 28 bytes in hex');

/** A policy id in lower case. */
export const PolicyId = PolicyText.transform((text) => text.toLowerCase());

/** A duration as `DD:HH:MM` or `<n>h` (design D1). */
export const DurationText = z
  .string()
  .max(20)
  .refine((text) => parseDuration(text) !== undefined, coded('INVALID_DURATION', 'A duration is DD:HH:MM or <n>h'))
  .describe('Days, hours and minutes as `DD:HH:MM` (`03:00:00` is three days), or hours as `72h`');

/** ISO 8601 with a time zone, in a year that ISO 8601 and Postgres both write with four digits. */
export const StartText = z.iso
  .datetime({ offset: true })
  .max(40)
  .refine((text) => !isOutsideYears(new Date(text).getUTCFullYear()), 'A time is in the years 1 to 9999, in UTC');

const isOutsideYears = (year: number) => year < 1 || year > 9999;

/** A percentage with at most two decimals. */
export const Percentage = (min: number, max: number) =>
  z
    .number()
    .min(min)
    .max(max)
    .refine((value) => parsePercentage(value) !== undefined, coded('INVALID_PERCENTAGE', 'At most two decimals'));

const amountMessage = 'An amount is a number above 0, or decimal text with at most 9 decimals';

/** A token amount: a number, or decimal text where a number could lose digits (design D10). */
export const TokenAmount = z
  .union([z.number().positive(), z.string().regex(/^\d{1,30}(\.\d{1,9})?$/, amountMessage)], amountMessage)
  .describe('Whole tokens; as decimal text where a number could lose digits');

/** The maximum supply of ADA, in lovelace. */
const ALL_LOVELACE = 45_000_000_000_000_000n;

/** Lovelace as decimal text. */
export const LovelaceText = z
  .string()
  .regex(/^[1-9]\d{0,16}$/, 'Must be a whole number of lovelace above 0')
  .refine(
    (text) => !/^\d+$/.test(text) || BigInt(text) <= ALL_LOVELACE,
    coded('TOO_BIG', 'Must be at most the supply of ADA'),
  );

/** Lovelace as an integer or as decimal text. */
export const LovelaceAmount = z
  .union([z.int().min(1), LovelaceText], 'Must be a whole number of lovelace above 0, as a number or as text')
  .describe('Lovelace, as a whole number or as text');

/** Lovelace as an integer or as decimal text; may be 0. */
export const LovelaceBound = z.union(
  [z.int().min(0), z.literal('0'), LovelaceText],
  'Must be a whole number of lovelace, as a number or as text',
);

/** Text, or hex after 0x; at most 32 bytes, which its reader sees to. */
export const AssetNameText = z
  .string()
  .max(200)
  .describe('Text, or hex after `0x`; put `0x` before the `assetNameHex` of a response');

const quoted = (words: readonly string[]) => words.map((word) => `\`${word}\``).join(', ');

/** One of `words`, as `parse` reads it; `parse` returns undefined for other text. */
export const ParsedWord = (words: readonly string[], parse: (text: string) => string | undefined) =>
  z
    .string()
    .max(40)
    .refine((text) => parse(text) !== undefined, coded('VALUE_NOT_ALLOWED', oneOf(words)))
    .describe(`One of ${quoted(words)}. Not case-sensitive.`);

const typeNameText = 'Begins with a letter, then letters, digits, hyphens, blanks and underscores, at most 40 in all';

/** The name of a vault or asset type, as it is stored. */
export const TypeName = z
  .string()
  .max(40)
  .refine((text) => parseTypeName(text) !== undefined, coded('VALUE_NOT_ALLOWED', typeNameText))
  .transform((text) => parsed(parseTypeName(text)));

/** The name of a type that filters rows. */
export const TypeFilter = (builtIn: readonly string[]) =>
  TypeName.describe(`${quoted(builtIn)}, or the name of a registered type. Not case-sensitive.`).optional();

/** The result of a parser whose schema has already accepted the text. */
export function parsed<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('the schema accepted text that its parser refuses');
  return value;
}

/** One of `words` in upper or lower case; the output is written as in `words`. A rule of the whole object never sees other text. */
export const CaseInsensitive = <const Words extends readonly string[]>(words: Words) =>
  z
    .string()
    .max(40, { abort: true })
    .describe(`One of ${quoted(words)}. Not case-sensitive.`)
    .transform((text) => words.find((word) => word.toUpperCase() === text.toUpperCase()) ?? text)
    .pipe(z.enum(words));

/** A version of the API. */
export const VersionText = z
  .string()
  .max(40)
  .regex(/^v\d+\.\d+\.\d+$/, 'A version is v<major>.<minor>.<patch>')
  .describe('`v<major>.<minor>.<patch>`');

/** A link that a client may show. */
export const HttpsAddress = visibleUrl(/^https$/, 'Must be an https address', 500);

/** CBOR in hex. The use case decodes it. */
export const CborText = z.string().min(1).max(4000);

// Fields of responses: plain JSON types only.

export const Timestamp = z.iso.datetime();
/** An integer amount that a JSON number could not hold exactly; describe its unit. */
export const AmountText = z.string().regex(/^\d+$/);
export const BaseUnitsText = AmountText.describe(
  'Exact amount in base units; a whole token has 10 to the power of its decimals',
);
export const WholeTokens = z.number().describe('Whole tokens, rounded; the field in base units is exact');
export const DurationPrinted = z
  .string()
  .regex(/^\d{2,}:\d\d:\d\d$/)
  .describe('Days, hours and minutes: `03:00:00` is three days');
