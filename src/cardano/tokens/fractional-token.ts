import type { Datum } from '../build/draft.ts';
import { beginningThatFits } from '../../platform/units/visible-text.ts';
import { nameOf, policyOf } from '../../assets/rules/asset.ts';
import type { Unit } from '../transaction.ts';

/** CIP-67 prefixes of asset names: 100 = CIP-68 reference token, 333 = CIP-68 fungible token. */
const REFERENCE_LABEL = '000643b0';
const FUNGIBLE_LABEL = '0014df10';
/** Bytes: the ledger allows 32, and the label takes four. */
const LABELLED_NAME_LIMIT = 28;

/** Asset name of a vault's fractional token (CIP-68, label 333); throws RangeError above 28 bytes. */
export function ftNameHex(nameHex: string): string {
  return FUNGIBLE_LABEL + labelled(nameHex);
}

/** Asset name of the reference token, whose datum describes the fractional token (CIP-68, label 100). */
export function referenceNameHex(nameHex: string): string {
  return REFERENCE_LABEL + labelled(nameHex);
}

/** The fractional token's unit: the vault's `tokenAddress`. `nameHex` is without its label. */
export function ftUnit(policyId: string, nameHex: string): Unit {
  return policyId + ftNameHex(nameHex);
}

/** The name of a vault's token without its label: the vault's name in UTF-8, cut to whole characters within 28 bytes, in hex. */
export function tokenNameHex(vaultName: string): string {
  return nameHexWithin(vaultName, LABELLED_NAME_LIMIT);
}

/** Hex of the beginning of a vault's name in UTF-8, of whole characters, within this many bytes; of its ticker when not one fits. */
export function nameHexWithin(vaultName: string, bytes: number): string {
  const beginning = beginningThatFits(vaultName, (text) => Buffer.byteLength(text) <= bytes);
  return Buffer.from(beginning === '' ? tickerOf(vaultName) : beginning).toString('hex');
}

/** A ticker of at most five letters and digits from a vault's name; `FT` when it has none. */
export function tickerOf(name: string): string {
  const letters = name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '');
  return letters === '' ? 'FT' : letters.slice(0, 5);
}

/** The reference token's unit. `nameHex` is without its label. */
export function referenceUnit(policyId: string, nameHex: string): Unit {
  return policyId + referenceNameHex(nameHex);
}

/** The unit of the reference token that belongs to a fractional token. */
export function referenceOf(ftUnit: Unit): Unit {
  return referenceUnit(policyOf(ftUnit), nameOf(ftUnit).slice(FUNGIBLE_LABEL.length));
}

/** Whether a unit is named as a fractional token is, and not as the reference token of the same policy. */
export function isFractional(unit: Unit): boolean {
  return nameOf(unit).startsWith(FUNGIBLE_LABEL);
}

/** What wallets show for the fractional token. */
export interface FtDescription {
  readonly name: string;
  readonly ticker: string;
  readonly decimals: number;
  readonly description?: string;
  /** URI of a picture. */
  readonly logo?: string;
  readonly url?: string | undefined;
}

/** CIP-68 datum of label 333, version 1. */
export function referenceDatum({ name, ticker, decimals, description, logo, url }: FtDescription): Datum {
  const entries: [string, Datum][] = [
    ['name', bytes(name)],
    ['description', bytes(description ?? name)],
    ['ticker', bytes(ticker)],
    ['decimals', { int: decimals }],
  ];
  if (logo !== undefined) entries.push(['logo', bytes(logo)]);
  if (url !== undefined) entries.push(['url', bytes(url)]);
  const map = entries.map(([key, value]) => ({ k: bytes(key), v: value }));
  return { constructor: 0, fields: [{ map }, { int: 1 }, { constructor: 0, fields: [] }] };
}

function labelled(nameHex: string): string {
  if (nameHex.length > LABELLED_NAME_LIMIT * 2) throw new RangeError(`asset name above ${LABELLED_NAME_LIMIT} bytes`);
  return nameHex;
}

function bytes(text: string): Datum {
  return { bytes: Buffer.from(text).toString('hex') };
}
