import { sql } from 'kysely';
import { type AssetClass, unitOf } from '../rules/asset.ts';
import type { UtxoRef } from '../../transactions/rules/utxo-ref.ts';
import { type Asset, claimedNftsRead } from './assets.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { fenceClose } from '../../platform/database/fences.ts';
import { allOf, run, type Statement, statement } from '../../platform/database/statements.ts';
import { unleasedRead } from '../../transactions/queries/utxo-leases.ts';

/** By unit: each NFT in vaults, and the attempts to bring it into one. */
export type NftClaims = ReadonlyMap<string, readonly Asset[]>;

/** Keeps others from adding these NFTs until the unit of work ends; in one order for all requests, so that no two of them wait for each other. */
export function nftClaimsRead(tx: Transaction, nfts: readonly AssetClass[]): Statement<NftClaims> {
  const byUnit = [...new Map(nfts.map((nft) => [unitOf(nft), nft]))];
  const inOrder = byUnit.toSorted(([one], [other]) => (one < other ? -1 : 1));
  const reads = inOrder.map(([unit, nft]): Statement<readonly [string, Asset[]]> => {
    const read = allOf([fenceClose(tx, `asset:${unit}`), claimedNftsRead(tx, nft)] as const);
    return async (connection) => [unit, (await read(connection))[1]];
  });
  const read = allOf<(readonly [string, Asset[]])[]>(reads);
  return async (connection) => new Map(await read(connection));
}

/** Those of a wallet's UTxOs that no open transaction holds. Nobody else can promise them until the transaction ends. */
export function freeUtxosRead<Output extends UtxoRef>(
  tx: Transaction,
  address: string,
  utxos: readonly Output[],
): Statement<readonly Output[]> {
  const read = allOf([fenceClose(tx, `wallet:${address}`), unleasedRead(tx, utxos)] as const);
  return async (connection) => (await read(connection))[1];
}

const FUNDS = sql`before_funds`;

/** As `freeUtxosRead`, until `letGoOfFunds`. */
export function freeUtxosReadAtFirst<Output extends UtxoRef>(
  tx: Transaction,
  address: string,
  utxos: readonly Output[],
): Statement<readonly Output[]> {
  const savepoint = statement(sql`savepoint ${FUNDS}`.compile(tx), () => undefined);
  const read = allOf([savepoint, freeUtxosRead(tx, address, utxos)] as const);
  return async (connection) => (await read(connection))[1];
}

/** Lets others promise the wallet's UTxOs again, which ends all that the transaction did since it read them. */
export async function letGoOfFunds(tx: Transaction): Promise<void> {
  await run(
    tx,
    statement(sql`rollback to savepoint ${FUNDS}`.compile(tx), () => undefined),
  );
}
