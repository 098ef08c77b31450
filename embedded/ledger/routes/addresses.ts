import { type Address, BaseAddress, RewardAddress } from '@emurgo/cardano-serialization-lib-nodejs';
import { type Request, Router } from 'express';
import { Refusal, notFound, pageOf } from '../http-response.ts';
import type { ChainState } from '../chain-state.ts';
import type { Ledger } from '../ledger.ts';
import { network, slotTime } from '../network.ts';
import { blockAt, presentAmounts, presentOutput, sumAmounts } from '../presentation.ts';
import { testnetAddress } from '../testnet-address.ts';
import type { Utxo } from '../transaction-view.ts';

/** GET /addresses/{address} and its UTxOs and transactions. As with Blockfrost, an address that was never used is 404. */
export function addressRoutes({ chain }: Ledger): Router {
  const router = Router();
  router.get('/addresses/:address', (req, res) => {
    const address = knownAddress(chain, req);
    const parsed = parseAddress(address);
    res.json({
      address,
      amount: presentAmounts(sumAmounts(chain.utxos.at(address).map((utxo) => utxo.output.amounts))),
      stake_address: stakeAddress(parsed),
      type: 'shelley',
      script: parsed.payment_cred()?.to_scripthash() !== undefined,
    });
  });
  router.get('/addresses/:address/utxos', (req, res) => {
    const utxos = oldestFirst(chain, chain.utxos.at(knownAddress(chain, req)));
    res.json(pageOf(req, utxos).map((utxo) => presentUtxo(chain, utxo)));
  });
  router.get('/addresses/:address/utxos/:asset', (req, res) => {
    const { asset } = req.params;
    const holding = chain.utxos.at(knownAddress(chain, req)).filter((utxo) => utxo.output.amounts.has(asset));
    res.json(pageOf(req, oldestFirst(chain, holding)).map((utxo) => presentUtxo(chain, utxo)));
  });
  router.get('/addresses/:address/transactions', (req, res) => {
    const upTo = Number(req.query['to'] ?? Infinity);
    const all = chain.history.ofAddress(knownAddress(chain, req));
    const hashes = all.filter((hash) => (chain.history.transaction(hash)?.height ?? 0) <= upTo);
    const rows = pageOf(req, hashes).map((tx_hash) => {
      const confirmed = chain.history.transaction(tx_hash);
      const block = blockAt(chain, confirmed?.height ?? 0);
      return { tx_hash, tx_index: confirmed?.index ?? 0, block_height: block.height, block_time: slotTime(block.slot) };
    });
    res.json(rows);
  });
  return router;
}

function knownAddress(chain: ChainState, req: Request<{ address: string }>): string {
  const { address } = req.params;
  parseAddress(address);
  if (chain.history.ofAddress(address).length === 0) throw notFound();
  return address;
}

function oldestFirst(chain: ChainState, utxos: Utxo[]): Utxo[] {
  const placed = utxos.map((utxo) => ({ utxo, at: positionOf(chain, utxo) }));
  placed.sort((a, b) => a.at[0] - b.at[0] || a.at[1] - b.at[1] || a.at[2] - b.at[2]);
  return placed.map(({ utxo }) => utxo);
}

/** Block height, index of the transaction in its block, index of the output. */
function positionOf(chain: ChainState, { hash, index }: Utxo): [number, number, number] {
  const confirmed = chain.history.transaction(hash);
  return [confirmed?.height ?? 0, confirmed?.index ?? 0, index];
}

function presentUtxo(chain: ChainState, { hash, index, output }: Utxo) {
  const block = blockAt(chain, chain.history.transaction(hash)?.height ?? 0).hash;
  return { ...presentOutput(output, index), tx_hash: hash, tx_index: index, block };
}

/** Reads a bech32 address of this network; refuses any other with 400. */
export function parseAddress(text: string): Address {
  const address = testnetAddress(text);
  if (!address) throw new Refusal(400, 'Invalid address for this network or malformed address format.');
  return address;
}

function stakeAddress(address: Address): string | null {
  const stake = BaseAddress.from_address(address)?.stake_cred();
  return stake ? RewardAddress.new(network.id, stake).to_address().to_bech32() : null;
}
