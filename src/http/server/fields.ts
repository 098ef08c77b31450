import { z } from 'zod';
import { parseDuration } from '../../domain/units/duration.ts';
import { parsePercentage } from '../../domain/units/percentage.ts';
import { oneOf } from './request-messages.ts';

// Requests. Whatever has no bound of its own gets one, so that no field can be used to fill the database.

/** The code a refused field carries instead of the general one. */
const coded = (code: string, message: string) => ({ error: message, params: { code } });

export const ResourceId = z.uuid();

/** A wallet's address; whether it is one, and of this network, is asked of the ledger library. */
export const AddressText = z.string().min(1).max(200);

/** An address that rows are looked for by; in upper case, as bech32 allows, it is the same one. */
export const AddressFilter = AddressText.transform((text) =>
  text === text.toUpperCase() ? text.toLowerCase() : text,
).describe('Only those of this wallet');

/** A policy id as it was written. */
export const PolicyText = z.string().regex(/^[0-9a-fA-F]{56}$/, 'A policy id is 28 bytes in hex');

/** A policy id in lower case. */
export const PolicyId = PolicyText.transform((text) => text.toLowerCase());

/** `DD:HH:MM` or `<n>h` (design D1); seconds. */
export const DurationText = z
  .string()
  .max(20)
  .refine((text) => parseDuration(text) !== undefined, coded('INVALID_DURATION', 'A duration is DD:HH:MM or <n>h'))
  .describe('Days, hours and minutes as `DD:HH:MM` (`03:00:00` is three days), or hours as `72h`');

/** ISO 8601 with a time zone. */
export const StartText = z.iso.datetime({ offset: true }).max(40);

/** A percentage with at most two decimals. */
export const Percentage = (min: number, max: number) =>
  z
    .number()
    .min(min)
    .max(max)
    .refine((value) => parsePercentage(value) !== undefined, coded('INVALID_PERCENTAGE', 'At most two decimals'));

const amountWords = 'An amount is a number above 0, or decimal text with at most 9 decimals';

/** A token amount: a number, or decimal text where a number could lose digits (design D10). */
export const TokenAmount = z
  .union([z.number().positive(), z.string().regex(/^\d{1,30}(\.\d{1,9})?$/, amountWords)], amountWords)
  .describe('Whole tokens; as decimal text where a number could lose digits');

/** All the lovelace there will ever be. */
const ALL_LOVELACE = 45_000_000_000_000_000n;

/** Lovelace as decimal text. */
export const LovelaceText = z
  .string()
  .regex(/^[1-9]\d{0,16}$/, 'Lovelace are a whole number above 0')
  .refine(
    (text) => !/^\d+$/.test(text) || BigInt(text) <= ALL_LOVELACE,
    coded('TOO_BIG', 'There is not that much ADA'),
  );

/** Lovelace as an integer or as decimal text. */
export const LovelaceAmount = z
  .union([z.int().min(1), LovelaceText], 'Lovelace are a whole number above 0, or such a number as text')
  .describe('Lovelace, as a whole number or as text');

/** Text, or hex after 0x; at most 32 bytes, which its reader sees to. */
export const AssetNameText = z
  .string()
  .max(200)
  .describe('Text, or hex after `0x`: the `assetNameHex` of an answer needs `0x` before it');

/** Words that are read by `parse`, which answers undefined for what is none of them. */
export const ParsedWord = (words: readonly string[], parse: (text: string) => string | undefined) =>
  z
    .string()
    .max(40)
    .refine((text) => parse(text) !== undefined, coded('VALUE_NOT_ALLOWED', oneOf(words)))
    .describe(`${words.join(', ')}; in any case`);

/** What a parser answers to a word that `ParsedWord` has let through by the same parser. */
export function parsed<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('a schema let through what its parser refuses');
  return value;
}

/** The given words in any case; answers them as they are written here. */
export const CaseInsensitive = <const Words extends readonly string[]>(words: Words) =>
  z
    .string()
    .max(40)
    .describe(`${words.join(', ')}; in any case`)
    .transform((text) => text.toUpperCase())
    .pipe(z.enum(words));

/** CBOR in hex; what is in it is its reader's business. */
export const CborText = z.string().min(1).max(4000);

// Answers: plain JSON types only.

export const Timestamp = z.iso.datetime();
/** Integer amounts that JSON numbers could not carry exactly; say of what. */
export const AmountText = z.string().regex(/^\d+$/);
export const BaseUnitsText = AmountText.describe(
  'Exact, in base units: 10 to the power of its decimals make a whole token',
);
export const WholeTokens = z.number().describe('Whole tokens; may lose digits that the base units beside it have');
export const DurationPrinted = z
  .string()
  .regex(/^\d{2,}:\d\d:\d\d$/)
  .describe('Days, hours and minutes: `03:00:00` is three days');
