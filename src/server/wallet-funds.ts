import { z } from 'zod';
import { readWalletUtxo, type WalletUtxo } from '../chain/cbor/wallet-utxo.ts';
import { addressError, parseStakeAddress } from '../chain/scripts/address.ts';
import { fieldError } from '../domain/errors.ts';
import type { Caller } from '../domain/identity/caller.ts';
import { type Actor, actorOf, type NamedFunds } from '../services/actor.ts';
import type { ApiContext } from './context.ts';
import { AddressText } from './fields.ts';

/** Each address is a request to the ledger. */
const MAX_ADDRESSES = 60;

/** The wallet's UTxOs as `getUtxos` of CIP-30 returns them. */
export const WalletUtxos = z
  .array(z.string().min(2).max(24_000))
  .min(1)
  .max(300)
  .describe(
    'What `getUtxos()` of the wallet (CIP-30) returns: CBOR hex of each UTxO. Exactly these pay, and the keys of those that are used ' +
      `must sign. For wallets with several addresses; at most ${MAX_ADDRESSES} of them. Each is compared with the ledger`,
  )
  .optional();

export const StakeAddressText = AddressText.describe(
  'Stake address of the wallet, instead of `utxos`: the UTxOs at all addresses with this stake key pay. The service reads at most ' +
    '100 addresses from the ledger',
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

/** The actor that pays, with the funds that the request names. Throws what `actorOf` throws, INVALID_CBOR and INVALID_REQUEST. */
export async function payerOf(
  api: Pick<ApiContext, 'db' | 'networkId'>,
  caller: Caller,
  { walletAddress, utxos, stakeAddress }: NamedPayer,
  fields = fieldNames,
): Promise<Actor> {
  const { networkId } = api;
  const actor = await actorOf(api, caller, walletAddress, fields.walletAddress);
  if (utxos === undefined && stakeAddress === undefined) return actor;
  const field = utxos === undefined ? fields.stakeAddress : 'utxos';
  if (actor.signer === 'platform')
    throw fieldError('INVALID_REQUEST', field, 'Only a wallet has these; name the wallet');
  if (utxos !== undefined && stakeAddress !== undefined)
    throw fieldError('INVALID_REQUEST', fields.stakeAddress, 'Send either `utxos` or this');
  const funds: NamedFunds =
    stakeAddress === undefined
      ? { kind: 'utxos', utxos: readUtxos(utxos ?? [], networkId) }
      : { kind: 'stake', address: parseStakeAddress(stakeAddress, networkId, fields.stakeAddress) };
  return { ...actor, funds };
}

/** The actor, unless it is the platform, whose own wallet does not pay for this. Throws INVALID_REQUEST. */
export function requireWallet(actor: Actor, field = fieldNames.walletAddress): Actor {
  if (actor.signer === 'wallet') return actor;
  throw fieldError('INVALID_REQUEST', field, 'Name the wallet; the own wallet of the platform does not do this');
}

/** As `requireWallet`, where the deployment does not let the platform's own wallet add assets. */
export function depositorOf(
  { operatorDeposits }: Pick<ApiContext, 'operatorDeposits'>,
  actor: Actor,
  field?: string,
): Actor {
  return operatorDeposits ? actor : requireWallet(actor, field);
}

function readUtxos(utxos: readonly string[], networkId: ApiContext['networkId']): WalletUtxo[] {
  const read = utxos.map((hex, position) => {
    const utxo = readWalletUtxo(hex, networkId);
    if (typeof utxo !== 'string') return utxo;
    const field = `utxos.${position}`;
    if (utxo === 'not_cbor') throw fieldError('INVALID_CBOR', field, 'This is not a UTxO in CBOR hex');
    throw addressError(utxo, field);
  });
  if (new Set(read.map(({ address }) => address)).size > MAX_ADDRESSES)
    throw fieldError('INVALID_REQUEST', 'utxos', `At most ${MAX_ADDRESSES} addresses`);
  return read;
}
