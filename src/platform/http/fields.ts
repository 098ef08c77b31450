import { z } from 'zod';
import { errorRegistry, developmentErrors } from '../error-registry.ts';
import { oneOf } from './parse-request.ts';
import { parseTypeName } from '../units/ids.ts';
import { parsePercentage } from '../units/money.ts';
import { parseDuration, defaultDurationBounds, type DurationBound } from '../units/time.ts';
import { composed, unseenProblem } from '../units/visible-text.ts';
import { defaultPhaseDurations } from '../../proposals/rules/phases.ts';

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
    .refine(namesItsHost, 'Must not contain a user name or a backslash.')
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
export const PolicyText = z.string().regex(/^[0-9a-fA-F]{56}$/, 'A policy ID is 28 bytes in hex.');

/** A policy id in lower case. */
export const PolicyId = PolicyText.transform((text) => text.toLowerCase());

/** A duration as `DD:HH:MM` or `<n>h` (design D1). */
export const DurationText = z
  .string()
  .max(20)
  .refine(
    (text) => parseDuration(text) !== undefined,
    coded('INVALID_DURATION', 'Must be a duration: `DD:HH:MM` or hours, such as `72h`.'),
  )
  .describe('Days, hours and minutes as `DD:HH:MM` (`03:00:00` is three days), or hours as `72h`.');

/** ISO 8601 with a time zone, in a year that ISO 8601 and Postgres both write with four digits. */
export const StartText = z.iso
  .datetime({ offset: true })
  .max(40)
  .refine((text) => !isOutsideYears(new Date(text).getUTCFullYear()), 'Must be a time in UTC, in the years 1 to 9999.');

const isOutsideYears = (year: number) => year < 1 || year > 9999;

/** A percentage with at most two decimals. */
export const Percentage = (min: number, max: number) =>
  z
    .number()
    .min(min)
    .max(max)
    .refine(
      (value) => parsePercentage(value) !== undefined,
      coded('INVALID_PERCENTAGE', 'Must have at most two decimals.'),
    );

const amountMessage = 'Must be a number above 0, or decimal text with at most 9 decimals.';

/** A token amount: a number, or decimal text where a number could lose digits (design D10). */
export const TokenAmount = z
  .union([z.number().positive(), z.string().regex(/^\d{1,30}(\.\d{1,9})?$/, amountMessage)], amountMessage)
  .describe('Whole tokens, as decimal text where a number could lose digits.');

/** The maximum supply of ADA, in lovelace. */
const ALL_LOVELACE = 45_000_000_000_000_000n;

/** Lovelace as decimal text. */
export const LovelaceText = z
  .string()
  .regex(/^[1-9]\d{0,16}$/, 'Must be a whole number of lovelace above 0.')
  .refine(
    (text) => !/^\d+$/.test(text) || BigInt(text) <= ALL_LOVELACE,
    coded('TOO_BIG', 'Must be at most the supply of ADA.'),
  );

/** Lovelace as an integer or as decimal text. */
export const LovelaceAmount = z
  .union([z.int().min(1), LovelaceText], 'Must be a whole number of lovelace above 0, as a number or as text.')
  .describe('Lovelace, as a whole number or as text.');

/** Lovelace as an integer or as decimal text; may be 0. */
export const LovelaceBound = z.union(
  [z.int().min(0), z.literal('0'), LovelaceText],
  'Must be a whole number of lovelace, as a number or as text.',
);

/** Text, or hex after 0x; at most 32 bytes, which its reader sees to. */
export const AssetNameText = z
  .string()
  .max(200)
  .describe('Text, or hex after `0x`. To use the `assetNameHex` of a response, put `0x` before it.');

const quoted = (words: readonly string[]) => words.map((word) => `\`${word}\``).join(', ');

/** One of `words`, as `parse` reads it; `parse` returns undefined for other text. */
export const ParsedWord = (words: readonly string[], parse: (text: string) => string | undefined) =>
  z
    .string()
    .max(40)
    .refine((text) => parse(text) !== undefined, coded('VALUE_NOT_ALLOWED', oneOf(words)))
    .describe(`One of ${quoted(words)}. Not case-sensitive.`);

const typeNameText = 'Must begin with a letter and have at most 40 letters, digits, hyphens, blanks and underscores.';

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
  .regex(/^v\d+\.\d+\.\d+$/, 'Must be a version: v<major>.<minor>.<patch>.')
  .describe('`v<major>.<minor>.<patch>`');

/** A link that a client may show. */
export const HttpsAddress = visibleUrl(/^https$/, 'Must be an https URL.', 500);

/** CBOR in hex. The use case decodes it. */
export const CborText = z.string().min(1).max(4000);

// Fields of responses: plain JSON types only.

export const Timestamp = z.iso.datetime();
/** An integer amount that a JSON number could not hold exactly; describe its unit. */
export const AmountText = z.string().regex(/^\d+$/);
export const BaseUnitsText = AmountText.describe(
  'Exact amount in base units. A whole token has 10 to the power of its decimals.',
);
export const WholeTokens = z.number().describe('Whole tokens, rounded. The field in base units is exact.');
export const DurationPrinted = z
  .string()
  .regex(/^\d{2,}:\d\d:\d\d$/)
  .describe('Days, hours and minutes: `03:00:00` is three days.');

/** An enum of the OpenAPI document: component `id`, with one sentence for each value. */
export function enumSchema<const Values extends readonly [string, ...string[]]>(
  id: string,
  values: Values,
  meanings: Readonly<Record<Values[number], string>>,
) {
  return z.enum(values).meta({ id, description: sentences(values, meanings).join('\n') });
}

/** As `enumSchema`, for values to which a deployment can add; `others` says which. */
export function openEnumSchema<const Values extends readonly string[]>(
  id: string,
  values: Values,
  meanings: Readonly<Record<Values[number], string>>,
  others: string,
) {
  return z.string().meta({ id, description: [...sentences(values, meanings), `- ${others}`].join('\n') });
}

function sentences<Value extends string>(
  values: readonly Value[],
  meanings: Readonly<Record<Value, string>>,
): string[] {
  return values.map((value) => `- \`${value}\`: ${meanings[value]}`);
}

export const RefusalCode = z.enum(Object.keys(errorRegistry)).meta({
  id: 'ErrorCode',
  description: '`x-error-codes` lists the type, HTTP status and message of each code, and whether a retry can help.',
});

/** Takes the codes of development out of the JSON Schema of the error codes; leaves every other schema as it is. */
export function omitDevelopmentCodes(schema: unknown, jsonSchema: { enum?: unknown[] | undefined }): void {
  if (schema !== RefusalCode) return;
  jsonSchema.enum = jsonSchema.enum?.filter((code) => !(String(code) in developmentErrors));
}

// Sentences of the OpenAPI document that several operations and schemas share.

const toSignText = (unsignedTx: string, expiresAt: string) =>
  `Returns \`${unsignedTx}\` for the wallet to sign (CIP-30 \`signTx\`, partial). Send the result to \`addWitnesses\` ` +
  `before \`${expiresAt}\`.`;

export const unsignedTransactionText = toSignText('unsignedTx', 'expiresAt');

/** As `unsignedTransactionText`, with the field names of the specification. */
export const specUnsignedTransactionText = toSignText('unsigned_tx', 'expires_at');

const keyWalletText = 'Without a session, a key with `wallet:UPDATE` may name any wallet.';

/** Describes the required field of the wallet that the operation acts for. */
export const requiredWalletText = (field: string) => `\`${field}\` must be the wallet of the session. ${keyWalletText}`;

/** Describes the optional field of the wallet that the operation acts for. */
export const optionalWalletText = (field: string) =>
  `\`${field}\` defaults to the wallet of the session, otherwise to the wallet of the platform. ${keyWalletText}`;

/** As `optionalWalletText`, where the wallet of the platform pays for nothing. */
export const sessionWalletText = (field: string) =>
  `\`${field}\` defaults to the wallet of the session. Without a session it is required, and the key needs \`wallet:UPDATE\`.`;

/** As `optionalWalletText`, where a deployment decides what the wallet of the platform does. */
export const depositorText = (field: string) =>
  `${optionalWalletText(field)} Not every deployment lets the platform add assets.`;

export const platformSignedText =
  'The platform signs and submits the transaction. `readTransaction` returns its status.';

/** What each threshold is a percentage of (design D22, D29). */
export const thresholdTexts = {
  creation: 'Percentage of the token supply that a wallet must have staked to create a proposal.',
  start:
    'Percentage of the token supply whose stakes must endorse a draft before its vote opens. Includes the stakes ' +
    'of the proposer. 0 opens the vote at once.',
  vote: 'Quorum: percentage of the tokens with voting power that must vote, for or against.',
  execution: 'Percentage of the cast voting power that must approve. In addition, more must approve than reject.',
  cosigning:
    'Percentage of the token supply that a wallet must have staked to cosign an execution. If the vault has ' +
    '`cosigners`, only they may cosign.',
};

/** What each percentage of a vault's investment settings means. */
export const investmentTexts = {
  reserve:
    'Minimum total investment, as a percentage of the asset value that is for sale to investors. If less is invested, ' +
    'the vault fails and every deposit is returned.',
  liquidity: 'Percentage of the fully diluted valuation that becomes liquidity, half in ADA and half in tokens.',
  investors: 'Percentage of the tokens, after liquidity, that investors get. Contributors get the rest.',
};

/** Describes the time of the price that an asset is valued at. */
export const priceTimeText =
  'Time of the price at its source. For a fixed price: the time of the price of the contribution.';

/** Describes the amounts of a settlement. */
export const settlementFigureTexts = {
  value: 'Value of all assets that count, in lovelace.',
  invested: 'Sum of all investments in lovelace.',
  fdv: "Fully diluted valuation: price of the whole token supply in lovelace, at the investors' price.",
  reserveRequired: 'Minimum total investment in lovelace. It uses asset values before `max_share` reduces them.',
  lpLovelace: 'Lovelace of the liquidity share.',
  lpFt: 'Base units of the liquidity share.',
  contributorsLovelace: 'Lovelace for all contributors.',
};

const hours = (seconds: number) => `${seconds / 3600}h`;
const between = ({ min, max }: DurationBound) =>
  `${hours(min)} to ${hours(max)}, unless the deployment sets other limits`;
const defaults = defaultPhaseDurations(defaultDurationBounds);
const format = '`DD:HH:MM` (`03:00:00` is three days) or `72h`, ';

/** Durations of a vault whose request gives none. */
export const defaultDurationText = {
  voting: hours(defaults.voting),
  lock: hours(defaults.lock),
  execution: hours(defaults.execution),
};

/** Formats, limits and defaults of the durations of a request. */
export const durationTexts = {
  assetWindow:
    `Length of the asset window. ${format}${between(defaultDurationBounds.assetWindow)}. Default: 7 days, or until ` +
    'the investment window ends if that is earlier.',
  investmentWindow:
    `Length of the investment window. ${format}${between(defaultDurationBounds.investmentWindow)}. It must not end ` +
    'before the asset window.',
  voting: `Length of the voting phase. ${format}${between(defaultDurationBounds.voting)}. Default: ${hours(defaults.voting)}.`,
  lock:
    'Time between the vote and its execution. The proposer or the admin can still cancel. ' +
    `${format}${between(defaultDurationBounds.lock)}. Default: ${hours(defaults.lock)}.`,
  execution: `Length of the execution phase. ${format}${between(defaultDurationBounds.execution)}. Default: ${hours(defaults.execution)}.`,
};

export const tokenAddressText =
  'Policy ID and asset name of the token, in hex. `null` until the settlement builds its mint. If a mint does ' +
  'not reach a block in time, a new one has another address. The address is certain when the `mint` transaction ' +
  'is final.';
