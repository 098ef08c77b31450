import { z } from 'zod';
import { canNeverPay, readWalletUtxo, type WalletUtxo } from '../../cardano/cbor/wallet-utxo.ts';
import { parseStakeAddress } from '../../cardano/scripts/address.ts';
import { fieldError } from '../../platform/errors.ts';
import type { Caller } from '../../access/rules.ts';
import { type ActingWallet, actingWalletOf, type NamedFunds, type NamedUtxo } from '../../access/acting-wallet.ts';
import type { ApiContext } from '../../api-context.ts';
import { AddressText } from '../../platform/http/fields.ts';

/** Each address is a request to the ledger. */
const MAX_ADDRESSES = 60;

const neverPaying = 'UTxOs at Byron, script and pointer addresses, and UTxOs with a reference script, never pay';

/** The wallet's UTxOs as `getUtxos` of CIP-30 returns them. */
export const WalletUtxos = z
  .array(z.string().min(2).max(24_000))
  .min(1)
  .max(300)
  .describe(
    "CBOR hex of the wallet's UTxOs, as CIP-30 `getUtxos()` returns them. 1 to 300, at no more than " +
      `${MAX_ADDRESSES} addresses. Use this for a wallet with several addresses.\n\n` +
      "Only these UTxOs pay. UTxOs of the wallet's own payment key pay first. The own key always signs, and so do " +
      'the keys of the other UTxOs that are spent.\n\n' +
      `${neverPaying}. The service omits them.`,
  )
  .optional();

export const StakeAddressText = AddressText.describe(
  'Stake address of the wallet, in bech32, instead of `utxos`. UTxOs at up to 100 addresses with this stake key ' +
    "pay if those of the wallet's own payment key do not suffice. Prefer `utxos`: anybody can create an address " +
    "with your stake key, and the transaction would then need that person's signature.",
).optional();

/** Largest body of a request that may carry UTxOs. */
export const FUNDS_BODY_LIMIT = 1_000_000;

export const namedFundsErrors = ['UTXO_NOT_ON_LEDGER', 'INVALID_CBOR'] as const;

/** The fields of a request that name who pays for its transaction. */
export const payerFields = {
  walletAddress: AddressText.optional(),
  utxos: WalletUtxos,
  stakeAddress: StakeAddressText,
};

interface NamedPayer {
  readonly walletAddress?: string | undefined;
  readonly utxos?: readonly string[] | undefined;
  readonly stakeAddress?: string | undefined;
}

/** What a request calls the fields that may be refused. */
const fieldNames = { walletAddress: 'walletAddress', stakeAddress: 'stakeAddress' };

/** The actor that pays, with the funds that the request names. */
export async function payerOf(
  api: ApiContext,
  caller: Caller,
  { walletAddress, utxos, stakeAddress }: NamedPayer,
  fields = fieldNames,
): Promise<ActingWallet> {
  const { networkId } = api;
  const actor = await actingWalletOf(api, caller, walletAddress, fields.walletAddress);
  if (utxos === undefined && stakeAddress === undefined) return actor;
  const field = utxos === undefined ? fields.stakeAddress : 'utxos';
  if (actor.signer === 'platform')
    throw fieldError('INVALID_REQUEST', field, '`walletAddress` is required with this field.');
  if (utxos !== undefined && stakeAddress !== undefined)
    throw fieldError('INVALID_REQUEST', fields.stakeAddress, 'Send either `utxos` or this field, not both.');
  const funds: NamedFunds =
    stakeAddress === undefined
      ? { kind: 'utxos', utxos: readUtxos(utxos ?? [], networkId) }
      : { kind: 'stake', address: parseStakeAddress(stakeAddress, networkId, fields.stakeAddress) };
  return { ...actor, funds };
}

/** The actor, unless it is the platform, whose own wallet does not pay for this. */
export function requireWallet(actor: ActingWallet, field = fieldNames.walletAddress): ActingWallet {
  if (actor.signer === 'wallet') return actor;
  throw fieldError('INVALID_REQUEST', field, '`walletAddress` is required when the request has no session.');
}

/** As `requireWallet`, where the deployment does not let the platform's own wallet add assets. */
export function depositorOf(
  { operatorDeposits }: Pick<ApiContext, 'operatorDeposits'>,
  actor: ActingWallet,
  field?: string,
): ActingWallet {
  return operatorDeposits ? actor : requireWallet(actor, field);
}

/** The UTxOs that may pay, each with its position in the request. */
function readUtxos(utxos: readonly string[], networkId: ApiContext['networkId']): NamedUtxo[] {
  const read = utxos.flatMap((hex, position) => {
    const utxo = readUtxo(hex, position, networkId);
    return utxo ? [{ ...utxo, position }] : [];
  });
  if (read.length === 0) throw fieldError('INVALID_REQUEST', 'utxos', `None of these UTxOs can pay. ${neverPaying}.`);
  if (new Set(read.map(({ address }) => address)).size > MAX_ADDRESSES)
    throw fieldError(
      'INVALID_REQUEST',
      'utxos',
      `These UTxOs are at more than ${MAX_ADDRESSES} addresses. Send UTxOs of fewer addresses.`,
    );
  return read;
}

/** Null for what can never pay: a wallet lists that too. */
function readUtxo(hex: string, position: number, networkId: ApiContext['networkId']): WalletUtxo | null {
  const utxo = readWalletUtxo(hex, networkId);
  if (typeof utxo !== 'string') return utxo;
  if (canNeverPay(utxo)) return null;
  const field = `utxos.${position}`;
  if (utxo === 'wrong_network') throw fieldError('WRONG_NETWORK', field, otherNetwork);
  throw fieldError('INVALID_CBOR', field, 'Must be a UTxO in CBOR hex.');
}

const otherNetwork = 'This UTxO belongs to another network. Connect the wallet to the network of this service.';
